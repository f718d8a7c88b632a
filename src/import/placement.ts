import type { Configuration } from '../desired/configuration.ts';
import type { Resource } from '../model/state.ts';
import { groupBy } from '../model/value.ts';

/** Where what is new goes: to its like. */
export interface Placement {
  /** The file for the workspaces of a project; one that is not there yet where a pattern takes it in. */
  workspacesOf(project: string, alias: string): string;
  /** The file for the grants of a project. */
  grantsOf(project: string, alias: string): string;
}

/**
 * Workspaces go where most of their project's stand, grants where others of their project stand. What a project has no
 * file for gets one of its own, named by a pattern under `include`, or goes into the root file.
 */
export function placementOf(
  { desired }: Configuration,
  { root, include }: { readonly root: string; readonly include: readonly string[] },
): Placement {
  const resources = [...desired.resources.values()];
  const homes = (kind: Resource['kind']) =>
    new Map(
      [
        ...groupBy(
          resources.filter((resource) => resource.kind === kind),
          projectOf,
        ),
      ].map(([project, own]) => [project, mostCommonFile(own)] as const),
    );
  const workspaces = homes('workspace');
  const grants = homes('team-access');
  const newFile = (alias: string) => {
    const pattern = include.find((written) => /^[^*?[\]{}()!]*\*\.ya?ml$/.test(written));
    return pattern === undefined || alias === '' ? root : pattern.replace('*', alias).replace(/^\.\//, '');
  };
  const workspacesOf = (project: string, alias: string) =>
    workspaces.get(project) ?? grants.get(project) ?? newFile(alias);
  return {
    workspacesOf,
    grantsOf: (project, alias) => grants.get(project) ?? workspacesOf(project, alias),
  };
}

function projectOf({ attributes }: Resource): string {
  return String(attributes.project ?? '');
}

function mostCommonFile(resources: readonly Resource[]): string | undefined {
  const byFile = groupBy(
    resources.flatMap(({ location }) => location?.file ?? []),
    (file) => file,
  );
  return [...byFile].sort(([a, of], [b, more]) => more.length - of.length || (a < b ? -1 : 1))[0]?.[0];
}
