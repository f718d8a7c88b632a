import type { Resource, ResourceKind, ResourceOf } from '../model/state.ts';

interface ImportKind<Kind extends ResourceKind> {
  /** What becomes of one that no file can declare. */
  readonly omitted: string;
  /** Equal for a declared and a live resource that are the same one: by ids where the files may use other names. */
  readonly identity: (resource: ResourceOf<Kind>) => string;
}

const importKinds: { readonly [Kind in ResourceKind]: ImportKind<Kind> } = {
  project: {
    omitted: 'the project is not managed',
    identity: ({ id, name }) => id ?? name,
  },
  workspace: {
    omitted: 'the workspace is left out',
    identity: ({ name }) => name,
  },
  'team-access': {
    omitted: 'the grant is left out',
    identity: ({ attributes: { project, team } }) => `${project}/${team}`,
  },
};

export function omitted(kind: ResourceKind): string {
  return importKinds[kind].omitted;
}

/** Identifies a resource in the files and on the service. */
export function identityOf(resource: Resource): string {
  return `${resource.kind} ${ownIdentity(resource.kind, resource)}`;
}

function ownIdentity<Kind extends ResourceKind>(kind: Kind, resource: ResourceOf<Kind>): string {
  const { identity }: ImportKind<Kind> = importKinds[kind];
  return identity(resource);
}
