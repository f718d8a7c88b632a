import {
  type AliasEvent,
  boolCoreTag,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  type MappingEvent,
  NOT_RESOLVED,
  nullCoreTag,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
  YAMLException,
} from 'js-yaml';
import { type Diagnostic, problem, showPlace } from '../../model/diagnostic.ts';
import { quote } from '../../model/text.ts';
import type { Loading } from '../problems.ts';
import {
  emptyMapping,
  keyOffsets,
  locationAt,
  type NodeOrigin,
  type Origins,
  type RawMapping,
  type Source,
} from './source.ts';

/*
 * YAML text to plain data, with the location of everything in it in `Origins`. js-yaml turns the text into events, and one walk
 * turns these into data. Where js-yaml fails, or accepts what YAML does not allow, explain-yaml.ts reports what is wrong.
 *
 * - Keys are their text as written: `1.10`, `yes` and `__proto__` are names like any other. Mappings have no prototype.
 * - An alias is the anchor's data itself, not a copy. What all aliases would come to when written out is counted from
 *   the sizes of their anchors, so that a few lines with billions of values are found without expanding them.
 * - `<<` takes in keys that the mapping does not have itself; of several sources the first wins.
 * - An alias without an anchor leaves `undefined` under its key, like any wrong value that was reported; a list that lacks
 *   an entry by it, or a mapping that lacks keys, is `undefined` as a whole, so that no value is reported as missing.
 * - Mappings with equal keys share the indexes of their names.
 */

/** Configurations are six levels deep. */
const deepest = 100;
/** An honest file of 16 MiB, with 60,000 workspaces, has fewer; one of nothing but commas would take all memory. */
const mostSigns = 3_000_000;
const mostExpanded = 2_000_000;

const conflictMarker = /^(?:[<>|]{7} |={7}\r?$)/m;

type Collection = MappingEvent | SequenceEvent;
type Scalar = string | number | boolean | null;

interface Walk {
  readonly source: Source;
  readonly text: string;
  readonly origins: Origins;
  readonly events: readonly Event[];
  at: number;
  start: number;
  end: number;
  size: number;
  expanded: number;
  readonly anchors: Map<string, { readonly data: unknown; readonly size: number } | undefined>;
  readonly names: Map<string, ReadonlyMap<string, number>>;
  readonly found: Diagnostic[];
  /** Whether something is at a place where js-yaml accepts more than YAML. */
  isDoubtful: boolean;
}

export const startHint =
  'write declarations: a root file starts with "attune: 1" and "organization: ...", a policy file with "policies:"';

export async function readYaml(source: Source, { origins, problems }: Loading): Promise<unknown> {
  const { text } = source;
  const fail = (
    code: string,
    message: string,
    { hint, at = 0 }: { hint?: string; at?: number | undefined } = {},
  ) => problems.add(problem(code, message, { at: locationAt(source, at), hint }));
  if (text.length > mostSigns && signsIn(text) > mostSigns)
    return fail('file-too-large', `the file has more than ${mostSigns} words and signs`, {
      hint: 'split it and name the parts under include',
    });
  const conflict = text.search(conflictMarker);
  if (conflict >= 0)
    return fail('merge-conflict', 'the file has a merge conflict that is not resolved', {
      hint: 'keep one side of each conflict, and remove the lines with <<<<<<<, ======= and >>>>>>>',
      at: conflict,
    });
  const { events, error } = eventsOf(text);
  const at = error?.mark?.position;
  if (error?.reason.startsWith('nesting exceeded'))
    return fail('file-too-large', `the file has more than ${deepest} levels of nesting`, { at });
  const walk: Walk = {
    ...{ source, text, origins, events, at: 1, start: 0, end: 0, size: 0, expanded: 0 },
    ...{ anchors: new Map(), names: new Map(), found: [], isDoubtful: false },
  };
  // The first event opens the document.
  const data = events.length > 1 ? readValue(walk) : null;
  if (error || walk.isDoubtful || events.length > walk.at + 1) {
    const { explainYaml } = await import('./explain-yaml.ts');
    if (explainYaml(source, problems, at)) return undefined;
  }
  if (error)
    return fail('yaml-syntax', error.reason, {
      hint: 'write spaces instead of tabs, and check the brackets, quotes and indentation of this line',
      at,
    });
  if (data === null && walk.found.length === 0)
    return fail('empty-file', 'the file is empty', { hint: startHint });
  problems.add(...walk.found);
  return walk.expanded > mostExpanded ? undefined : data;
}

function eventsOf(text: string): { readonly events: readonly Event[]; readonly error?: YAMLException } {
  try {
    return { events: parseEvents(text, { maxDepth: deepest }) };
  } catch (error) {
    if (error instanceof YAMLException) return { events: [], error };
    throw error;
  }
}

function signsIn(text: string): number {
  let signs = 0;
  for (let at = 0; at < text.length; at++) if (isSign[text.charCodeAt(at)]) signs++;
  return signs;
}

const isSign: Readonly<Record<number, boolean>> = Object.fromEntries(
  [...'\n\r,:?-[]{}'].map((sign) => [sign.charCodeAt(0), true]),
);

function readValue(walk: Walk, isKey = false): unknown {
  const event = walk.events[walk.at++] as AliasEvent | Collection | ScalarEvent;
  if (!isKey) walk.size++;
  if (event.type === EVENT_ID.ALIAS) return readAlias(walk, event);
  if (event.anchorStart < 0 && event.tagStart < 0) return readContent(walk, event, isKey);
  const { text, anchors, size } = walk;
  const anchor = text.slice(event.anchorStart, event.anchorEnd);
  const tag = text.slice(event.tagStart, event.tagEnd);
  walk.end = Math.max(event.anchorEnd, event.tagEnd);
  if (event.anchorStart >= 0) anchors.set(anchor, undefined);
  const isText = event.type === EVENT_ID.SCALAR && (tag === '!!str' || tag === '!');
  const data = readContent(walk, event, isKey || isText);
  const hint = 'remove the tag, or put quotes around the value if the "!" belongs to it';
  const isUnknown = event.tagStart >= 0 && !isText;
  if (isUnknown)
    report(walk, event.tagStart, 'yaml-syntax', `unknown tag ${tag}: YAML is plain data here`, hint);
  if (event.anchorStart >= 0) anchors.set(anchor, { data, size: walk.size - size + 1 });
  // A tag that was meant as text is a part of the value.
  return isUnknown && event.type === EVENT_ID.SCALAR ? undefined : data;
}

function readContent(walk: Walk, event: Collection | ScalarEvent, isText: boolean): unknown {
  if (event.type === EVENT_ID.MAPPING) return readMapping(walk, event);
  if (event.type === EVENT_ID.SEQUENCE) return readList(walk, event);
  const { style, valueStart, valueEnd } = event;
  const isQuoted = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
  const isPlain = style === SCALAR_STYLE.PLAIN;
  // The event has no place of a missing value, nor of the sign that a block begins with.
  walk.start = valueStart < 0 || !(isPlain || isQuoted) ? nextValue(walk) : valueStart - Number(isQuoted);
  walk.end = valueStart < 0 ? walk.start : valueEnd + Number(isQuoted);
  const written = getScalarValue(walk.text, event);
  return isPlain && !isText ? plainValue(written) : written;
}

function nextValue({ text, end }: Walk): number {
  gap.lastIndex = end;
  return end + (gap.exec(text)?.[0].length ?? 0);
}

const gap = /(?:\s|#.*)*[-:?]?[ \t]*/y;

const coreTags = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag];
const notText = /^[-+.0-9~nNtTfF]/;

function plainValue(written: string): Scalar {
  if (written !== '' && !notText.test(written)) return written;
  for (const tag of coreTags) {
    const value: unknown = tag.resolve(written, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value as Scalar;
  }
  return written;
}

function readAlias(walk: Walk, { anchorStart, anchorEnd }: AliasEvent): unknown {
  const name = walk.text.slice(anchorStart, anchorEnd);
  const anchor = walk.anchors.get(name);
  walk.start = anchorStart - 1;
  walk.end = anchorEnd;
  if (!anchor) {
    const isInside = walk.anchors.has(name);
    const message = isInside
      ? `the alias *${name} is inside its own anchor &${name}`
      : `unknown anchor &${name}: it is not defined before this line`;
    const hint = isInside
      ? 'replace the alias with its value'
      : `put quotes around "*${name}" if it is a pattern, or define &${name} earlier in the same file`;
    report(walk, walk.start, 'yaml-syntax', message, hint);
    return undefined;
  }
  const wasUsable = walk.expanded <= mostExpanded;
  walk.size += anchor.size;
  walk.expanded += anchor.size;
  if (walk.expanded <= mostExpanded) return anchor.data;
  const message = `the alias *${name} makes this file larger than ${mostExpanded} values`;
  if (wasUsable) report(walk, walk.start, 'file-too-large', message, 'replace anchors with templates');
  return null;
}

function readList(walk: Walk, { start, style }: Collection): readonly unknown[] | undefined {
  const { events, source } = walk;
  const list: unknown[] = [];
  const offsets: number[] = [];
  walk.end = start;
  while (events[walk.at]?.type !== EVENT_ID.POP) {
    list.push(readValue(walk));
    offsets.push(walk.start);
    if (style === COLLECTION_STYLE.BLOCK) checkLine(walk, walk.start);
  }
  walk.at++;
  walk.start = start;
  // Without the memory that it has for more entries.
  const data = list.slice();
  walk.origins.set(data, { source, start, offsets });
  return list.includes(undefined) ? undefined : data;
}

function readMapping(walk: Walk, { start, style }: Collection): RawMapping | undefined {
  const { events, source } = walk;
  const data = emptyMapping();
  const names: string[] = [];
  const offsets: number[] = [];
  const merges: Merge[] = [];
  const repeated = new Set<string>();
  let isWhole = true;
  walk.end = start;
  while (events[walk.at]?.type !== EVENT_ID.POP) {
    const key = events[walk.at] as Event;
    const name = readKey(walk);
    const { start: offset } = walk;
    if (style === COLLECTION_STYLE.BLOCK) checkLine(walk, offset);
    const value = readValue(walk);
    if (name === '<<' && key.type === EVENT_ID.SCALAR && key.style === SCALAR_STYLE.PLAIN)
      merges.push({ from: value, offset: walk.start });
    else if (name === undefined) isWhole &&= key.type !== EVENT_ID.ALIAS;
    else {
      names.push(name);
      offsets.push(offset, walk.start);
      if (name in data) repeated.add(name);
      else data[name] = value;
    }
  }
  walk.at++;
  reportRepeated(walk, repeated, { names, offsets });
  for (const merge of merges) {
    if (merge.from === undefined) isWhole = false;
    else mergeInto(walk, merge, { data, names, offsets });
  }
  walk.start = start;
  walk.origins.set(data, { source, start, names: sharedNames(walk, names), offsets });
  return isWhole ? data : undefined;
}

function readKey(walk: Walk): string | undefined {
  const key = readValue(walk, true);
  if (typeof key === 'string' || key === undefined) return key;
  const hint = 'put quotes around it if the brackets belong to the name';
  report(walk, walk.start, 'wrong-type', 'a key must be a string', hint);
  return undefined;
}

/** js-yaml does not see all mistakes where a key or an entry of a block follows something else on its line. */
function checkLine(walk: Walk, start: number): void {
  for (let at = start - 1; at >= 0 && walk.text[at] !== '\n'; at--)
    if (walk.text[at] !== ' ' && walk.text[at] !== '-') walk.isDoubtful = true;
}

interface Merge {
  readonly from: unknown;
  readonly offset: number;
}

interface Members {
  readonly data: RawMapping;
  readonly names: string[];
  readonly offsets: number[];
}

function mergeInto(walk: Walk, { from, offset }: Merge, { data, names, offsets }: Members): void {
  for (const mapping of [from].flat()) {
    const origin = walk.origins.get(mapping);
    const hint = 'write <<: *anchor with an anchor of a mapping';
    if (!origin?.names)
      report(walk, offset, 'wrong-type', '<< must be a mapping or a list of mappings', hint);
    for (const name of origin?.names?.keys() ?? []) {
      if (name in data) continue;
      names.push(name);
      offsets.push(...keyOffsets(origin as NodeOrigin, name));
      data[name] = (mapping as RawMapping)[name];
    }
  }
}

function sharedNames({ names: all }: Walk, names: readonly string[]): ReadonlyMap<string, number> {
  const key = names.join('\n');
  const known = all.get(key);
  if (known) return known;
  const indexes = new Map<string, number>();
  for (const [index, name] of names.entries()) if (!indexes.has(name)) indexes.set(name, index);
  all.set(key, indexes);
  return indexes;
}

function reportRepeated(walk: Walk, repeated: ReadonlySet<string>, members: Omit<Members, 'data'>): void {
  const { names, offsets } = members;
  for (const name of repeated) {
    const places = names.flatMap((one, index) => (one === name ? [offsets[2 * index] ?? 0] : []));
    for (const [index, offset] of places.entries()) {
      const other = locationAt(walk.source, places[index === 0 ? 1 : 0] ?? offset);
      report(walk, offset, 'duplicate-key', `duplicate key ${quote(name)}: also at ${showPlace(other)}`);
    }
  }
}

function report(
  { found, source }: Walk,
  offset: number,
  ...[code, message, hint]: [code: string, message: string, hint?: string]
): void {
  found.push(problem(code, message, { at: locationAt(source, offset), hint }));
}
