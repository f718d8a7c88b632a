/**
 * A reference to a project, team, SSH key, agent pool or VCS connection: an alias, an id, or the name that it has on the
 * service, which is looked up when the plan is made. `{name}` is always a name.
 */
export type Reference = string | { readonly name: string };
