import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type YAMLMap, type YAMLSeq } from 'yaml';
import type { ProblemOptions } from '../../model/diagnostic.ts';
import { nearest } from '../../model/text.ts';
import type { Problems } from '../problems.ts';
import {
  emptyMapping,
  keyOffsets,
  locationAt,
  type Origins,
  type RawMapping,
  type Source,
} from './source.ts';

/**
 * Turns YAML nodes into plain data in one walk, and records the location of each value in {@link Origins}.
 *
 * - Keys are their text as written: `1.10`, `yes` and `__proto__` are names like any other. Mappings have no prototype.
 * - An alias is the anchor's data itself, not a copy. What all aliases would come to when written out is counted from
 *   the sizes of their anchors, so that a few lines with billions of values are found without expanding them.
 * - `<<` takes in keys that the mapping does not have itself; of several sources the first wins.
 * - An alias without an anchor leaves `undefined` under its key, like any wrong value that was reported; a list that lacks
 *   an entry by it, or a mapping that lacks keys, is `undefined` as a whole, so that no value is reported as missing.
 */
export function toPlainData(node: ParsedNode, context: PlainDataContext): PlainData {
  const walk: Walk = { ...context, anchors: new Map(), expanded: 0, usable: true };
  const { data } = readValue(walk, node);
  return { data, usable: walk.usable };
}

export interface PlainDataContext {
  readonly source: Source;
  readonly origins: Origins;
  readonly problems: Problems;
}

export interface PlainData {
  readonly data: unknown;
  /** False if the aliases expand to too many values. */
  readonly usable: boolean;
}

/** How many values the aliases of one file may expand to. */
const mostExpanded = 2_000_000;

interface Walk extends PlainDataContext {
  /** The data of each anchor; undefined while its content is being read. */
  readonly anchors: Map<string, Made | undefined>;
  expanded: number;
  usable: boolean;
}

interface Made {
  /** `undefined` where an alias could not be followed. */
  readonly data: unknown;
  /** How many values it is when written out. */
  readonly size: number;
}

const nothing: Made = { data: null, size: 1 };
const missing: Made = { data: undefined, size: 1 };

function readValue(walk: Walk, node: ParsedNode | null): Made {
  if (node === null) return nothing;
  if (isAlias(node)) return readAlias(walk, node.source, node.range[0]);
  const { anchor } = node;
  if (anchor !== undefined) walk.anchors.set(anchor, undefined);
  const made = readContent(walk, node);
  if (anchor !== undefined) walk.anchors.set(anchor, made);
  return made;
}

function readContent(walk: Walk, node: ParsedNode): Made {
  if (isMap(node)) return readMapping(walk, node as YAMLMap.Parsed);
  if (isSeq(node)) return readList(walk, node as YAMLSeq.Parsed);
  return isScalar(node) ? { data: plainScalar(node.value, node.source), size: 1 } : nothing;
}

/** The core schema knows text, numbers, flags and null; whatever else a tag made is text again. */
function plainScalar(value: unknown, source: string | undefined): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  return typeof value === 'number' ? value : (source ?? String(value));
}

function readAlias(walk: Walk, name: string, offset: number): Made {
  const made = walk.anchors.get(name);
  if (!made) {
    const inside = walk.anchors.has(name);
    addProblem(
      walk,
      offset,
      'yaml-syntax',
      inside
        ? `the alias *${name} is inside its own anchor &${name}`
        : `unknown anchor &${name}: it is not defined before this line`,
      inside ? 'replace the alias with its value' : () => anchorHint(walk, name),
    );
    return missing;
  }
  const before = walk.expanded;
  walk.expanded += made.size;
  if (walk.expanded <= mostExpanded) return made;
  walk.usable = false;
  if (before <= mostExpanded) {
    addProblem(
      walk,
      offset,
      'file-too-large',
      `the alias *${name} makes this file larger than ${mostExpanded} values`,
      'replace anchors with templates',
    );
  }
  return nothing;
}

/** Asked for when all of the file's anchors are known. */
function anchorHint({ anchors }: Walk, name: string): string {
  if (anchors.has(name)) return `move &${name} before its first use: it is defined further down`;
  const near = nearest(name, anchors.keys());
  return near === undefined ? `define &${name} earlier in the same file` : `did you mean *${near}?`;
}

function readList(walk: Walk, node: YAMLSeq.Parsed): Made {
  const data: unknown[] = [];
  const offsets: number[] = [];
  let size = 1;
  let whole = true;
  for (const item of node.items as ParsedNode[]) {
    const made = readValue(walk, item);
    if (made.data === undefined) whole = false;
    data.push(made.data);
    offsets.push(item.range[0]);
    size += made.size;
  }
  walk.origins.set(data, { source: walk.source, start: node.range[0], offsets });
  return whole ? { data, size } : missing;
}

function readMapping(walk: Walk, node: YAMLMap.Parsed): Made {
  const data = emptyMapping();
  const keys = new Map<string, readonly number[]>();
  const merges: ParsedNode[] = [];
  const repeated = new Map<string, number[]>();
  let size = 1;
  let whole = true;
  for (const { key, value } of node.items) {
    const offset = key.range[0];
    if (isMergeKey(key)) {
      if (value) merges.push(value);
      continue;
    }
    const name = readKey(walk, key);
    const made = readValue(walk, value);
    size += made.size;
    if (name === undefined) {
      if (isAlias(key)) whole = false;
      continue;
    }
    const known = keys.get(name);
    if (known) {
      const places = repeated.get(name);
      if (places) places.push(offset);
      else repeated.set(name, [known[0] ?? offset, offset]);
      continue;
    }
    keys.set(name, [offset, value?.range[0] ?? offset]);
    data[name] = made.data;
  }
  for (const [name, places] of repeated) reportRepeatedKey(walk, name, places);
  for (const merge of merges) {
    const made = readValue(walk, merge);
    if (made.data === undefined) whole = false;
    else mergeInto(walk, { from: made.data, offset: merge.range[0] }, data, keys);
    size += made.size;
  }
  const { source } = walk;
  const offsets = [...keys.values()].flat();
  walk.origins.set(data, { source, start: node.range[0], names: [...keys.keys()], offsets });
  return whole ? { data, size } : missing;
}

function isMergeKey(key: ParsedNode): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.source === '<<';
}

function readKey(walk: Walk, key: ParsedNode): string | undefined {
  if (isScalar(key)) {
    const text = key.source ?? String(key.value);
    if (key.anchor !== undefined) walk.anchors.set(key.anchor, { data: text, size: 1 });
    return text;
  }
  const { data } = isAlias(key) ? readValue(walk, key) : nothing;
  if (typeof data === 'string') return data;
  if (data === undefined) return undefined;
  addProblem(
    walk,
    key.range[0],
    'wrong-type',
    'a key must be a string',
    'put quotes around it if the brackets belong to the name',
  );
  return undefined;
}

interface Merge {
  readonly from: unknown;
  readonly offset: number;
}

/** Takes in the keys of a mapping, or of a list of mappings, that are not there yet. */
function mergeInto(walk: Walk, merge: Merge, data: RawMapping, keys: Map<string, readonly number[]>): void {
  for (const from of Array.isArray(merge.from) ? merge.from : [merge.from]) {
    const origin = typeof from === 'object' && from !== null ? walk.origins.get(from) : undefined;
    if (!origin?.names) {
      addProblem(
        walk,
        merge.offset,
        'wrong-type',
        '<< must be a mapping or a list of mappings',
        'write <<: *anchor with an anchor of a mapping',
      );
      continue;
    }
    for (const name of origin.names) {
      if (keys.has(name)) continue;
      keys.set(name, keyOffsets(origin, name));
      data[name] = (from as RawMapping)[name];
    }
  }
}

function reportRepeatedKey(walk: Walk, name: string, offsets: readonly number[]): void {
  const places = offsets.map((offset) => locationAt(walk.source, offset));
  for (const [index, location] of places.entries()) {
    const other = places[index === 0 ? 1 : 0] ?? location;
    walk.problems.error(
      'duplicate-key',
      `duplicate key ${JSON.stringify(name)}: also at ${other.file}:${other.line}:${other.column}`,
      { at: location },
    );
  }
}

function addProblem(
  { problems, source }: Walk,
  offset: number,
  ...[code, message, hint]: [code: string, message: string, hint: ProblemOptions['hint']]
): void {
  problems.error(code, message, { at: locationAt(source, offset), hint });
}
