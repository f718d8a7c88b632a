import { readSource, readYamlData } from '../desired/files/read-file.ts';
import { createSource, locateKey, locateValue } from '../desired/files/source.ts';
import { createLoading, type Loading } from '../desired/problems.ts';
import { quote } from '../desired/text.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import { workspaceNamePattern } from '../model/attributes.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import { type Diagnostic, hasErrors, type SourceLocation } from '../model/diagnostic.ts';
import { projectAttributes } from '../model/project-attributes.ts';
import { nearest } from '../model/text.ts';
import { isRecord, type Value } from '../model/value.ts';

/** The sections of a map. `vcs` maps VCS connections by name or id, and ids of VCS app installations. */
export const mapSections = ['projects', 'teams', 'workspaces', 'ssh-keys', 'agent-pools', 'vcs'] as const;
export type MapSection = (typeof mapSections)[number];

/** What a target can lack: a workspace is only the reader of a state. */
export type NeededKind = AliasKind | 'workspaces';

export const mapSectionOf: Readonly<Record<NeededKind, MapSection>> = {
  workspaces: 'workspaces',
  projects: 'projects',
  teams: 'teams',
  'ssh-keys': 'ssh-keys',
  'agent-pools': 'agent-pools',
  'vcs-connections': 'vcs',
};

/** An object of the source. */
export interface Mapped {
  readonly id?: string;
  /** Absent if nothing but its id identifies it. */
  readonly name?: string;
}

interface MapEntry {
  readonly from: string;
  readonly to: string;
  readonly key: SourceLocation;
  readonly value: SourceLocation;
}

/** Names in the target for objects of the source. */
export interface CopyMap {
  readonly entries: Readonly<Record<MapSection, readonly MapEntry[]>>;
  /** The service of the target, as a root file has it. */
  readonly service: Readonly<Record<string, Value>>;
}

export const emptyMap: CopyMap = {
  entries: { projects: [], teams: [], workspaces: [], 'ssh-keys': [], 'agent-pools': [], vcs: [] },
  service: {},
};

/**
 * Reads a map of names.
 *
 * @param file as messages show it
 * @throws {DiagnosticsError} with every problem at its place.
 */
export async function readCopyMap(path: string, file: string): Promise<CopyMap> {
  const loading = createLoading();
  const { problems } = loading;
  const source = await readSource(path, file, problems, 'map');
  loading.sources.push(source ?? createSource(file, ''));
  const data = source && (await readYamlData(source, emptyMapHint, loading));
  const entries: Record<MapSection, MapEntry[]> = structuredClone(emptyMap.entries) as never;
  let service: CopyMap['service'] = {};
  if (data !== undefined && !isRecord(data))
    problems.add({
      code: 'wrong-type',
      message: 'the file must contain a mapping',
      hint: emptyMapHint,
      location: { file, line: 1, column: 1 },
    });
  else
    for (const key of Object.keys(data ?? {})) {
      const mapping = mappingIn(data ?? {}, key, loading);
      const section = mapSections.find((one) => one === key);
      if (mapping && section) entries[section] = entriesOf(section, mapping, loading);
      else if (mapping) service = serviceIn(mapping, loading);
    }
  const diagnostics = problems.diagnostics(loading.sources);
  if (hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics);
  return { entries, service };
}

/** The content of a section; undefined if it has a problem. */
function mappingIn(
  data: Readonly<Record<string, unknown>>,
  key: string,
  { problems, origins }: Loading,
): object | undefined {
  const { [key]: value } = data;
  const keys = [...mapSections, 'service'];
  if (keys.includes(key) && isRecord(value)) return value;
  if (keys.includes(key) && value === undefined) return undefined;
  problems.add(
    keys.includes(key)
      ? {
          code: 'wrong-type',
          message: `${quote(key)} must be a mapping`,
          hint: 'write the names of the source and, after a colon, those of the target',
          location: locateValue(origins, data, key),
        }
      : {
          code: 'unknown-key',
          message: `unknown key ${quote(key)} in a map`,
          hint: () => hintFor(key, keys),
          location: locateKey(origins, data, key),
        },
  );
  return undefined;
}

const emptyMapHint = `add one of the sections ${mapSections.join(', ')}`;

function hintFor(written: string, known: readonly string[]): string {
  const near = nearest(written, known);
  return near === undefined ? `use one of ${known.join(', ')}` : `did you mean "${near}"?`;
}

const serviceKeys = ['address', 'dialect', 'rate', 'parallelism', 'timeout', 'without', 'data', 'seed'];

function serviceIn(mapping: object, { problems, origins }: Loading): CopyMap['service'] {
  for (const key of Object.keys(mapping).filter((one) => !serviceKeys.includes(one)))
    problems.add({
      code: 'unknown-key',
      message: `unknown key ${quote(key)} in "service"`,
      hint: () => hintFor(key, serviceKeys),
      location: locateKey(origins, mapping, key),
    });
  return { ...(mapping as CopyMap['service']) };
}

function entriesOf(section: MapSection, mapping: object, { problems, origins }: Loading): MapEntry[] {
  return Object.entries(mapping).flatMap(([from, to]: [string, unknown]): MapEntry[] => {
    // An alias that cannot be followed is reported already.
    if (to === undefined) return [];
    const [key, value] = [locateKey(origins, mapping, from), locateValue(origins, mapping, from)];
    const why = typeof to === 'string' ? wrongName(section, from, to) : 'it is not text';
    if (why === undefined) return [{ from, to: String(to), key, value }];
    problems.add({
      code: 'bad-value',
      message: `${quote(from)} cannot be mapped to ${typeof to === 'string' ? quote(to) : JSON.stringify(to)}: ${why}`,
      hint: 'write one name, or a pattern with one * on both sides',
      location: value,
    });
    return [];
  });
}

const starsIn = (text: string) => text.split('*').length - 1;

function wrongName(section: MapSection, from: string, to: string): string | undefined {
  if (starsIn(from) > 1 || starsIn(to) > 1) return 'a pattern has one *';
  if (starsIn(to) > starsIn(from)) return 'only a pattern can be mapped to a pattern';
  const example = to.replace('*', 'x');
  if (section === 'workspaces' && !workspaceNamePattern.test(example))
    return 'it is not the name of a workspace';
  if (section === 'projects' && !projectAttributes.name.pattern.test(example))
    return 'it is not the name of a project';
  return to.trim() === '' ? 'it is empty' : undefined;
}

/** The names of objects in the target, by their ids or names in the source. */
export type TargetNames = ReadonlyMap<string, string>;

/**
 * Maps the objects that the files of a copy use. An exact entry comes before a pattern, and earlier patterns before later
 * ones. An object that no entry matches keeps its name.
 *
 * @returns the names by id, or by name without one, and the problems of the map
 */
export function mapNames(
  section: MapSection,
  objects: readonly Mapped[],
  { entries }: CopyMap,
): { readonly names: TargetNames; readonly problems: readonly Diagnostic[] } {
  const own = entries[section];
  const used = new Set<MapEntry>();
  const names = new Map<string, string>();
  const taken = new Map<string, string>();
  const problems: Diagnostic[] = [];
  for (const object of objects) {
    const entry = entryFor(object, own);
    for (const one of own) if (matched(object, one) !== undefined) used.add(one);
    const to = entry === undefined ? object.name : entry.to.replace('*', () => matched(object, entry) ?? '');
    const from = object.name ?? object.id ?? '';
    if (to === undefined) continue;
    const other = taken.get(to);
    if (other !== undefined) problems.push(twice({ section, from, other, to, entry }, own));
    taken.set(to, from);
    names.set(object.id ?? from, to);
  }
  const known = objects.flatMap(({ name }) => name ?? []);
  for (const entry of own) if (!used.has(entry)) problems.push(unmatched(section, entry, known));
  return { names, problems };
}

function entryFor(object: Mapped, entries: readonly MapEntry[]): MapEntry | undefined {
  const matching = entries.filter((entry) => matched(object, entry) !== undefined);
  return matching.find(({ from }) => !from.includes('*')) ?? matching[0];
}

/** The text that `*` matches, '' for an exact entry; undefined if the entry does not match. */
function matched({ id, name }: Mapped, { from }: MapEntry): string | undefined {
  const [start = '', end] = from.split('*');
  if (end === undefined) return from === name || from === id ? '' : undefined;
  const isMatch =
    name !== undefined &&
    name.length >= start.length + end.length &&
    name.startsWith(start) &&
    name.endsWith(end);
  return isMatch ? name.slice(start.length, name.length - end.length) : undefined;
}

interface Twice {
  readonly section: MapSection;
  readonly from: string;
  readonly other: string;
  readonly to: string;
  readonly entry: MapEntry | undefined;
}

function twice({ section, from, other, to, entry }: Twice, own: readonly MapEntry[]): Diagnostic {
  const culprit = entry ?? entryFor({ name: other }, own);
  return {
    severity: 'error',
    code: 'mapped-twice',
    message: `${section}: both ${quote(other)} and ${quote(from)} would be called ${quote(to)} in the target`,
    hint: 'map them to different names',
    ...(culprit && { location: culprit.value }),
  };
}

function unmatched(section: MapSection, { from, key }: MapEntry, known: readonly string[]): Diagnostic {
  const near = nearest(from, known);
  return {
    severity: 'error',
    code: 'map-nothing',
    message: `${section}: ${quote(from)} matches nothing that the files use`,
    hint: near === undefined ? 'remove the line, or correct the name' : `did you mean "${near}"?`,
    location: key,
  };
}
