/**
 * A reference to a project, team, SSH key, agent pool or VCS connection: an alias, an id, or its name on the service,
 * which the plan resolves. `{name}` is always a name.
 */
export type Reference = string | { readonly name: string };
