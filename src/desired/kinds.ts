import { isUnder } from '../model/attributes.ts';
import { withoutSafeDelete } from '../model/change.ts';
import { type Diagnostic, type ProblemOptions, problem } from '../model/diagnostic.ts';
import { type Feature, features } from '../model/dialect.ts';
import {
  type ProjectResource,
  pairOf,
  type Resource,
  type ResourceKind,
  type ResourceOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { quote } from '../model/text.ts';
import type { AllDeclarations } from './declarations.ts';
import { locateValue } from './files/source.ts';
import { declaredGrants, type GrantsContext } from './grants.ts';
import type { Loading } from './problems.ts';
import { declaredProjects, projectClaims } from './projects.ts';
import type { RawFile } from './schema/language.ts';
import { declaredWorkspaces, type WorkspaceContext } from './workspaces.ts';

/** What desired does for one kind of resource. */
interface DesiredKind<Item extends Resource> {
  /** Reads all declarations of the kind, and reports their problems. */
  read(declared: AllDeclarations, context: WorkspaceContext & GrantsContext): readonly Item[];
  /** Two resources that share one of them are one object of the service. Names have their ids after the look-ups. */
  identities(resource: Item): readonly string[];
  /** The problem that another root file declares the same object. */
  declaredByTwo(resource: Item, other: Item, place: string): Diagnostic;
  /** The attribute that needs a feature of the service; `''` is the resource itself. */
  pathOfFeature(declared: Item, feature: Feature): string | undefined;
}

const kinds: { readonly [Kind in ResourceKind]: DesiredKind<ResourceOf<Kind>> } = {
  project: {
    read: ({ aliases }, context) => declaredProjects(aliases.projects, context),
    identities: (project) => projectClaims(project).map(({ identity }) => `project ${identity}`),
    declaredByTwo: (at, _other, place) =>
      problem(
        'duplicate-name',
        `the project ${quote(at.name)} is managed by two root files, also at ${place}`,
        { at },
      ),
    pathOfFeature: projectPathOf,
  },
  workspace: {
    read: ({ workspaces }, context) => declaredWorkspaces(workspaces, context),
    identities: ({ address }) => [address],
    declaredByTwo: (at, _other, place) =>
      problem(
        'duplicate-name',
        `the workspace ${quote(at.name)} is declared by two root files, also at ${place}`,
        { at },
      ),
    pathOfFeature: workspacePathOf,
  },
  'team-access': {
    read: declaredGrants,
    identities: (grant) => [`team-access ${pairOf(grant)}`],
    declaredByTwo: (at, { name }, place) =>
      problem(
        'duplicate-name',
        `two root files declare the access of one team to one project, also as ${quote(name)} at ${place}`,
        { at },
      ),
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
  return Object.keys(attributes).find((path) => has(path) && isUnder(path, feature));
}

/** Declarations that need a feature which `service.without` names: a plan could not be applied. */
export function checkFeatures(
  resources: readonly Resource[],
  { service, prune }: Pick<RawFile, 'service' | 'prune'>,
  { problems, origins }: Loading,
): void {
  const without = service?.without ?? [];
  const add = (feature: Feature, what: string, options: ProblemOptions) =>
    problems.error(
      'not-offered',
      `${what}, and service.without declares that the service does not offer ${features[feature]}`,
      options,
    );
  for (const resource of resources) {
    const { address, declared, location } = resource;
    if (location === undefined) continue;
    for (const feature of declared?.absent ? [] : without) {
      const path = desiredKind(resource.kind).pathOfFeature(resource, feature);
      if (path === undefined) continue;
      add(feature, path === '' ? 'team access is declared' : `${quote(path)} is declared`, {
        at: { address, location: declared?.locations?.[path] ?? location },
        hint: `remove ${path === '' ? 'it' : path}, or remove ${feature} from service.without`,
      });
    }
    if (resource.kind === 'workspace' && declared?.absent === 'safe' && without.includes('safe-delete'))
      add('safe-delete', 'the workspace would be deleted safely', {
        at: { address, location },
        hint: withoutSafeDelete('write `delete: force`'),
      });
  }
  if (prune?.workspaces !== 'safe' || !without.includes('safe-delete')) return;
  add('safe-delete', 'workspaces would be pruned safely', {
    at: locateValue(origins, prune, 'workspaces'),
    hint: 'set prune.workspaces to `keep`; `force` deletes workspaces without checking whether they manage resources',
  });
}
