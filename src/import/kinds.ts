import type { Resource, ResourceKind, ResourceOf } from '../model/state.ts';

interface ImportKind<Kind extends ResourceKind> {
  readonly noun: string;
  /** Equal for a declared and a live resource that are the same one: by ids where the files may use other names. */
  readonly identity: (resource: ResourceOf<Kind>) => string;
}

const importKinds: { readonly [Kind in ResourceKind]: ImportKind<Kind> } = {
  project: { noun: 'project', identity: ({ id, name }) => id ?? name },
  workspace: { noun: 'workspace', identity: ({ name }) => name },
  'team-access': {
    noun: 'grant',
    identity: ({ attributes: { project, team } }) => `${project}/${team}`,
  },
};

export function kindNoun(kind: ResourceKind): string {
  return importKinds[kind].noun;
}

/** Identifies a resource in the files and on the service. */
export function identityOf(resource: Resource): string {
  return `${resource.kind} ${ownIdentity(resource.kind, resource)}`;
}

function ownIdentity<Kind extends ResourceKind>(kind: Kind, resource: ResourceOf<Kind>): string {
  const { identity }: ImportKind<Kind> = importKinds[kind];
  return identity(resource);
}
