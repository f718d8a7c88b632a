import { parse } from 'yaml';
import type { Configuration } from '../desired/configuration.ts';
import { type Resource, resourcesOf } from '../model/state.ts';
import { groupBy, isRecord, listTexts, type Value } from '../model/value.ts';

/** The files for new resources. */
interface Placement {
  /** The file for the workspaces of a project; a new file must match a pattern of `include`. */
  workspacesOf(project: string, alias: string): string;
  /** The file for the grants of a project. */
  grantsOf(project: string, alias: string): string;
}

/**
 * Workspaces are added to the file with most workspaces of their project, grants to a file with grants of their
 * project. For a project without a file, a new file that matches a pattern under `include` is created, or the root file
 * is used.
 */
export function placementOf(
  { desired }: Configuration,
  {
    root,
    include,
    files,
  }: {
    readonly root: string;
    readonly include: readonly string[];
    /** What declares a workspace can be a program, which takes no YAML. */
    readonly files: ReadonlySet<string>;
  },
): Placement {
  const resources = [...desired.resources.values()].filter(({ location }) => files.has(location?.file ?? ''));
  const homes = (kind: Resource['kind']) =>
    new Map(
      [...groupBy(resourcesOf(resources, kind), projectOfResource)].map(
        ([project, own]) => [project, mostCommonFile(own)] as const,
      ),
    );
  const workspaces = homes('workspace');
  const grants = homes('team-access');
  const newFile = (alias: string) => {
    const pattern = include.find((written) => /^[^*?[\]{}()!]*\*\.ya?ml$/.test(written));
    return pattern === undefined || alias === ''
      ? root
      : pattern.replace('*', () => alias).replace(/^\.\//, '');
  };
  const workspacesOf = (project: string, alias: string) =>
    workspaces.get(project) ?? grants.get(project) ?? newFile(alias);
  return {
    workspacesOf,
    grantsOf: (project, alias) => grants.get(project) ?? workspacesOf(project, alias),
  };
}

function projectOfResource({ attributes }: Resource): string {
  return String(attributes.project ?? '');
}

function mostCommonFile(resources: readonly Resource[]): string | undefined {
  const byFile = groupBy(
    resources.flatMap(({ location }) => location?.file ?? []),
    (file) => file,
  );
  return [...byFile].sort(([a, of], [b, more]) => more.length - of.length || (a < b ? -1 : 1))[0]?.[0];
}

/** The patterns under `include` of a root file that was loaded before and is therefore valid. */
export function includedBy(text: string): readonly string[] {
  const data: unknown = parse(text, {
    version: '1.2',
    schema: 'core',
    merge: true,
    maxAliasCount: -1,
    logLevel: 'silent',
  });
  return listTexts(isRecord(data) ? (data.include as Value | undefined) : undefined);
}
