import type { Diagnostic } from '../model/diagnostic.ts';
import type { Feature } from '../model/feature.ts';
import {
  type ProjectResource,
  pairOf,
  type Resource,
  type ResourceKind,
  type ResourceOf,
  type WorkspaceResource,
} from '../model/state.ts';
import type { AllDeclarations } from './declarations.ts';
import { declaredGrants, type GrantsContext } from './grants.ts';
import { declaredProjects, projectClaims } from './projects.ts';
import { quote } from './text.ts';
import { declaredWorkspaces, type WorkspaceContext } from './workspaces.ts';

/** What desired does for one kind of resource. */
interface DesiredKind<Item extends Resource> {
  /** Reads all declarations of the kind, and reports their problems. */
  read(declared: AllDeclarations, context: WorkspaceContext & GrantsContext): readonly Item[];
  /** Two resources that share one of them are one object of the service. Names have their ids after the look-ups. */
  identities(resource: Item): readonly string[];
  /** The problem that another root file declares the same object. */
  declaredByTwo(resource: Item, other: Item, place: string): Pick<Diagnostic, 'code' | 'message'>;
  /** The attribute that needs a feature of the service; `''` is the resource itself. */
  pathOfFeature(declared: Item, feature: Feature): string | undefined;
}

const kinds: { readonly [Kind in ResourceKind]: DesiredKind<ResourceOf<Kind>> } = {
  project: {
    read: ({ aliases }, context) => declaredProjects(aliases.projects, context),
    identities: (project) => projectClaims(project).map(({ identity }) => `project ${identity}`),
    declaredByTwo: ({ name }, _other, place) => ({
      code: 'duplicate-name',
      message: `the project ${quote(name)} is managed by two root files, also at ${place}`,
    }),
    pathOfFeature: projectPathOf,
  },
  workspace: {
    read: ({ workspaces }, context) => declaredWorkspaces(workspaces, context),
    identities: ({ address }) => [address],
    declaredByTwo: ({ name }, _other, place) => ({
      code: 'duplicate-name',
      message: `the workspace ${quote(name)} is declared by two root files, also at ${place}`,
    }),
    pathOfFeature: workspacePathOf,
  },
  'team-access': {
    read: declaredGrants,
    identities: (grant) => [`team-access ${pairOf(grant)}`],
    declaredByTwo: (_grant, { name }, place) => ({
      code: 'duplicate-grant',
      message: `two root files declare the access of one team to one project, also as ${quote(name)} at ${place}`,
    }),
    pathOfFeature: (_grant, feature) => (feature === 'team-access' ? '' : undefined),
  },
};

/** What desired does for the resources of a kind. */
export function desiredKind(kind: ResourceKind): DesiredKind<Resource> {
  return kinds[kind];
}

function projectPathOf({ attributes }: ProjectResource, feature: Feature): string | undefined {
  if (feature === 'projects') return 'manage';
  return feature === 'tag-bindings' && attributes[feature] !== undefined ? feature : undefined;
}

function workspacePathOf({ attributes }: WorkspaceResource, feature: Feature): string | undefined {
  const has = (path: string) => attributes[path] !== undefined && attributes[path] !== null;
  if (feature === 'projects') return has('project') ? 'project' : undefined;
  return Object.keys(attributes).find(
    (path) => has(path) && (path === feature || path.startsWith(`${feature}.`)),
  );
}
