import { join } from 'node:path';
import { effectiveFields } from '../desired/effective-fields.ts';
import type { NamedId } from '../live/read-names.ts';
import type { StateAccessRow } from '../model/access-result.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import { aliasOf, type Configuration } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import {
  aliasOfUncreated,
  type GrantResource,
  isUncreatedProject,
  pairOf,
  resourcesOf,
  workspaceAddress,
} from '../model/state.ts';
import { groupBy, type Values } from '../model/value.ts';
import { aliasesAndNames, consumerName } from '../resolve/labels.ts';
import type { RowLabels } from './access-rows.ts';

/** What is known of the names of projects and teams. */
interface KnownNames {
  readonly projects?: readonly NamedId[];
  readonly teams?: readonly NamedId[];
  /** Of workspaces, by id. */
  readonly workspaces?: ReadonlyMap<string, string>;
}

type LabelledKind = AliasKind & ('projects' | 'teams');

/** Shows names and places as the files have them, else as the service names them, else ids. Paths are from the working folder. */
export function labelsOf(
  configurations: readonly Configuration[],
  known: KnownNames,
  cwd: string,
): RowLabels {
  const grants = new Map(
    configurations.flatMap((configuration) =>
      resourcesOf(configuration.desired.resources.values(), 'team-access').map(
        (grant) => [pairOf(grant), { configuration, grant }] as const,
      ),
    ),
  );
  return {
    project: labelling('projects', configurations, known.projects),
    team: labelling('teams', configurations, known.teams),
    workspace: (id) => consumerName(id, known.workspaces ?? new Map()),
    grant: (live) => {
      const { configuration, grant } = grants.get(pairOf(live)) ?? {};
      if (!configuration || !grant?.location || grant.declared?.absent) return {};
      const role = hasValuesOf(live, grant)
        ? configuration.layered.get(grant.address)?.role?.name
        : undefined;
      return {
        location: placeOf(configuration, grant.location, cwd),
        ...(role !== undefined && { role }),
      };
    },
    sharing: (owner, source, reader) => {
      for (const configuration of configurations) {
        const location = sharingLocation(configuration, owner, source, reader);
        if (location) return placeOf(configuration, location, cwd);
      }
      return undefined;
    },
  };
}

/** Whether a grant is as it is declared. A service may not return every permission. */
function hasValuesOf(live: GrantResource, declared: GrantResource): boolean {
  const values: Values = live.attributes;
  return Object.entries(declared.attributes).every(([path, value]) => (values[path] ?? value) === value);
}

function labelling(
  kind: LabelledKind,
  configurations: readonly Configuration[],
  known: readonly NamedId[] = [],
): (id: string) => string {
  const aliases = configurations.map(aliasesAndNames);
  const names = new Map(known.map(({ id, name }) => [id, name]));
  const labelOf = (id: string) => {
    if (kind === 'projects' && isUncreatedProject(id)) return aliasOfUncreated(id);
    for (const table of aliases) {
      const alias = aliasOf(table, kind, id);
      if (alias !== id) return alias;
    }
    const name = names.get(id);
    // The look-up of an alias that an answer does not depend on is still open.
    const open = configurations.flatMap(({ lookUps }) =>
      lookUps.filter((lookUp) => lookUp.kind === kind && lookUp.name === name),
    );
    const alias = open.flatMap(({ places }) => places.flatMap((place) => place.alias ?? []))[0];
    return alias ?? name ?? id;
  };
  const ids = aliases.flatMap((table) => [...table[kind].values()]);
  const shared = sharedLabels([...ids, ...names.keys()], labelOf);
  // An alias can be the name of another object, and two root files can use one alias for two objects.
  return (id) => {
    const label = labelOf(id);
    return shared.has(label) && label !== id ? `${label} (${id})` : label;
  };
}

/** The labels that several ids have. */
function sharedLabels(ids: readonly string[], labelOf: (id: string) => string): ReadonlySet<string> {
  const isId = (id: string) => /^(prj|team)-/.test(id);
  const byLabel = groupBy(new Set(ids.filter(isId)), labelOf);
  return new Set([...byLabel].flatMap(([label, same]) => (same.length > 1 ? [label] : [])));
}

function placeOf({ folder }: Configuration, location: SourceLocation, cwd: string): SourceLocation {
  return { ...location, file: relativePath(cwd, join(folder, location.file)) };
}

/** The switch, or the entry of a list that names a reader, else its only selector; undefined if no entry does. */
function sharingLocation(
  configuration: Configuration,
  owner: string,
  source: StateAccessRow['source'],
  reader: readonly (string | undefined)[] = [],
): SourceLocation | undefined {
  const field = effectiveFields(configuration, workspaceAddress(owner)).find(({ path }) => path === source);
  if (!field) return undefined;
  if (source !== 'remote-state-consumers') return field.origin.location;
  const named = field.entries.find(({ entry }) => reader.some((key) => key !== undefined && key === entry));
  const [selector, ...others] = field.entries.filter(({ entry }) => typeof entry !== 'string');
  return named?.location ?? (others.length === 0 ? selector?.location : field.origin.location);
}

/** The projects that files name: those with declared access, and those with an alias. */
export function namedProjects(configurations: readonly Configuration[]): string[] {
  return configurations.flatMap(({ aliases, grantProjects }) => [
    ...grantProjects.keys(),
    ...aliases.projects.values(),
  ]);
}
