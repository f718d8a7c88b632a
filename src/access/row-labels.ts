import { join } from 'node:path';
import { effectiveFields } from '../desired/explain.ts';
import type { NamedId } from '../live/read-names.ts';
import { aliasOf, type Configuration } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { dialects } from '../model/dialect.ts';
import { relativePath } from '../model/files.ts';
import type { AccessRight, SharingSource, StateAccessRow } from '../model/results.ts';
import { mapSelectorProjects, matchesSelector, type Selectable, type Selector } from '../model/selector.ts';
import {
  addressIn,
  type GrantResource,
  identity,
  isUncreatedProject,
  nameOfAddress,
  resourcesOf,
  workspaceAddress,
} from '../model/state.ts';
import { groupBy, type Values } from '../model/value.ts';
import { aliasesAndNames, consumerName } from '../resolve/labels.ts';

export type RowLabels = ReturnType<typeof labelsOf>;

interface KnownNames {
  readonly projects?: readonly NamedId[];
  readonly teams?: readonly NamedId[] | undefined;
  readonly workspaces?: ReadonlyMap<string, string>;
}

/** Shows names and places as the files have them, else as the service names them, else ids. Paths are from the working folder. */
export function labelsOf(files: Configuration, known: KnownNames, cwd: string) {
  const { desired, layered, roots = [files] } = files;
  const grants = new Map(
    resourcesOf(desired.resources.values(), 'team-access').map((grant) => [identity(grant)[0], grant]),
  );
  const placeIn = (address: string, location: SourceLocation): SourceLocation => {
    const { folder } = roots.find((root) => root.desired.resources.has(address)) ?? files;
    return { ...location, file: relativePath(cwd, join(folder, location.file)) };
  };
  return {
    project: labelling('projects', files, known.projects),
    team: labelling('teams', files, known.teams),
    workspace: (key: string) => consumerName(key, known.workspaces ?? new Map()),
    /** The declaration of a grant with its end, and the role that it names if the grant is as declared. */
    grant: (live: GrantResource): Pick<AccessRight, 'location' | 'role' | 'until'> => {
      const { address = '', location, declared, attributes } = grants.get(identity(live)[0]) ?? {};
      if (!location || declared?.absent) return {};
      const values: Values = live.attributes;
      // A service may not return every permission.
      const isAsDeclared = Object.entries(attributes ?? {}).every(
        ([path, value]) => (values[path] ?? value) === value,
      );
      return {
        location: placeIn(address, location),
        role: isAsDeclared ? layered.get(address)?.role?.name : undefined,
        until: declared?.until?.written,
      };
    },
    /** The declaration of what shares the state of a workspace; for a list, the reader's entry or the selectors that select it. */
    sharing: (owner: string, source: SharingSource, reader: Reader): Shared => {
      const address = workspaceAddress(owner);
      const { location, selectors } = sharedBy(files, address, source, reader);
      return { location: location && placeIn(address, location), selectors };
    },
  };
}

function labelling(
  kind: 'projects' | 'teams',
  files: Configuration,
  known: readonly NamedId[] = [],
): (id: string) => string {
  const aliases = aliasesAndNames(files);
  const names = new Map(known.map(({ id, name }) => [id, name]));
  const labelOf = (id: string) => {
    if (kind === 'projects' && isUncreatedProject(id)) return nameOfAddress(addressIn(id));
    const alias = aliasOf(aliases, kind, id);
    if (alias !== id) return alias;
    const name = names.get(id);
    // The look-up of an alias that an answer does not depend on is still open.
    const open = files.lookUps.filter((lookUp) => lookUp.kind === kind && lookUp.name === name);
    return open.flatMap(({ places }) => places.flatMap((place) => place.alias ?? []))[0] ?? name ?? id;
  };
  const ids = new Set([...aliases[kind].values(), ...names.keys()].filter((id) => /^(prj|team)-/.test(id)));
  const byLabel = groupBy(ids, labelOf);
  // An alias can be the name of another object.
  return (id) => {
    const label = labelOf(id);
    return (byLabel.get(label)?.length ?? 0) > 1 && label !== id ? `${label} (${id})` : label;
  };
}

interface Reader {
  /** Its name or id, as an entry can have it. */
  readonly keys: readonly string[];
  /** What is known about it. */
  readonly workspace: Selectable;
}

type Shared = Pick<StateAccessRow, 'location' | 'selectors'>;

/** The switch, or the entry of a list that names a reader, else the selectors that select it by what is known about it. */
function sharedBy(files: Configuration, address: string, source: SharingSource, reader: Reader): Shared {
  const { keys, workspace } = reader;
  const field = effectiveFields(files, address).find(({ path }) => path === source);
  if (!field) return {};
  // A live switch can be on that the files declare off.
  if (source !== 'remote-state-consumers')
    return field.value === true ? { location: field.origin.location } : {};
  const entries = field.entries.filter(({ effect }) => effect !== 'remove');
  const named = entries.find(({ entry }) => keys.some((key) => key === entry));
  if (named) return { location: named.location };
  const { projects } = aliasesAndNames(files);
  const found = entries.flatMap(({ entry, location }) => {
    if (typeof entry === 'string') return [];
    const selector = entry as Selector;
    const byId = mapSelectorProjects(selector, (name) => projects.get(name) ?? name);
    return dialects.some((dialect) => matchesSelector(byId, workspace, dialect))
      ? { location, selector }
      : [];
  });
  const [first, ...others] = found;
  return {
    location: others.length === 0 ? first?.location : field.origin.location,
    selectors: first && found.map(({ selector }) => selector),
  };
}
