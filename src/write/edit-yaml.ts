import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { AttuneError } from '../model/attune-error.ts';
import { isRecord, sameValue, type Value } from '../model/value.ts';
import {
  columnOf,
  indented,
  inline,
  insertEntries,
  lineEnd,
  nodeEnd,
  pairEnd,
  valueRange,
} from './insert-entries.ts';
import { quoted, valueNode, yamlMapping } from './yaml-nodes.ts';

/** A change of one key of a file. Without a value the key is removed. */
export interface Edit {
  readonly file: string;
  /** The keys that lead to it. */
  readonly path: readonly string[];
  readonly value: Value | undefined;
}

/**
 * The text with the edit made in the style of the file. Comments and every other key keep their bytes. Entries of a list
 * are added and removed one by one.
 *
 * @throws {AttuneError} if nothing can be added at the path.
 */
export function editYaml(text: string, edit: Edit): string {
  const anchor = text.includes('&') ? sharedAnchor(text, edit.path) : undefined;
  if (anchor === undefined) return withEdit(text, edit);
  throw new AttuneError(`other lines use its anchor &${anchor} in ${edit.file}`, {
    code: 'not-acceptable',
    hint: `write the value out where *${anchor} is used, then run accept again`,
  });
}

/** An anchor on the way to a path, or inside its value, that another line uses. */
function sharedAnchor(text: string, path: readonly string[]): string | undefined {
  const anchors: string[] = [];
  for (let depth = 1; depth <= path.length; depth++) {
    const value = findPair(text, path.slice(0, depth))?.value;
    if (isNode(value) && !isAlias(value) && value.anchor !== undefined) anchors.push(value.anchor);
    if (depth === path.length && isNode(value)) {
      visit(value, {
        Value: (_key, { anchor }) => {
          if (anchor !== undefined) anchors.push(anchor);
        },
      });
    }
  }
  return anchors.find((anchor) => new RegExp(`\\*${escaped(anchor)}(?![^\\s,\\]}])`).test(text));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function withEdit(text: string, { file, path, value }: Edit): string {
  if (value === undefined) return removeKey(text, path);
  const own = withOwnMappings(text, path);
  const pair = findPair(own, path);
  if (pair !== undefined) return writePair(own, file, { pair, path, value });
  const key = path.at(-1) ?? '';
  const holder = path.slice(0, -1);
  return insertEntries(own, file, [{ path: holder, entries: [[key, nodeOf(key, value)]] }]);
}

/** The text that was parsed last: an edit looks up several keys of the same text. Nothing changes the nodes. */
let latest: { readonly text: string; readonly contents: unknown } = { text: '', contents: null };

function parsed(text: string): unknown {
  if (latest.text !== text) {
    const { contents } = parseDocument(text, { version: '1.2', schema: 'core', resolveKnownTags: false });
    latest = { text, contents };
  }
  return latest.contents;
}

function pairOf(holder: unknown, key: string): Pair | undefined {
  if (!isMap(holder)) return undefined;
  return holder.items.find((item) => isScalar(item.key) && (item.key.source ?? item.key.value) === key);
}

function findPair(text: string, path: readonly string[]): Pair | undefined {
  let holder = parsed(text);
  let pair: Pair | undefined;
  for (const key of path) {
    pair = pairOf(holder, key);
    if (pair === undefined) return undefined;
    holder = pair.value;
  }
  return pair;
}

/** A mapping on the way that is an alias becomes a separate mapping that merges the alias. */
function withOwnMappings(text: string, path: readonly string[]): string {
  for (let depth = 1; depth < path.length; depth++) {
    const value = findPair(text, path.slice(0, depth))?.value;
    if (!isAlias(value)) continue;
    const [start, end] = valueRange(value) ?? [0, 0];
    return withOwnMappings(`${text.slice(0, start)}{<<: *${value.source}}${text.slice(end)}`, path);
  }
  return text;
}

interface Place {
  readonly pair: Pair;
  readonly path: readonly string[];
  readonly value: Value;
}

function writePair(text: string, file: string, { pair, path, value }: Place): string {
  const node = pair.value;
  if (isSeq(node) && Array.isArray(value)) return writeList(text, { pair, path, value });
  if (isMap(node) && isRecord(value)) {
    const gone = node.items
      .map(({ key }) => String(isScalar(key) ? (key.source ?? key.value) : key))
      .filter((key) => key !== '<<' && !Object.hasOwn(value, key));
    if (gone.length === node.items.length) return replaceValue(text, pair, value);
    const kept = gone.reduce((current, key) => removeKey(current, [...path, key]), text);
    return Object.entries(value).reduce(
      (current, [key, inner]) => editYaml(current, { file, path: [...path, key], value: inner as Value }),
      kept,
    );
  }
  if (isScalar(node) && valueRange(node) && sameValue(node.value as Value, value)) return text;
  return replaceValue(text, pair, value);
}

/** Puts a value on the line of its key. A comment behind the key stays there. */
function replaceValue(text: string, { key, value: node }: Pair, value: Value): string {
  const written = inlineText(nodeOf(String((key as Scalar).value), value, node));
  const keyEnd = nodeEnd(key);
  const range = valueRange(node);
  if (range === undefined) {
    const colon = text.indexOf(':', keyEnd) + 1;
    const at = colon === 0 ? keyEnd : colon;
    return `${text.slice(0, at)}${colon === 0 ? ':' : ''} ${written}${text.slice(at)}`;
  }
  const [start, valueEnd] = range;
  const isBlock = (isMap(node) || isSeq(node)) && !node.flow;
  let end = isBlock ? nodeEnd(node) : valueEnd;
  if (text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1;
  const colon = text.indexOf(':', keyEnd) + 1;
  const between = text.slice(colon, start);
  if (!between.includes('\n')) return text.slice(0, start) + written + text.slice(end);
  const comment = between.split('\n')[0] ?? '';
  return `${text.slice(0, colon)} ${written}${comment.trimEnd()}${text.slice(end)}`;
}

function writeList(
  text: string,
  { pair, path, value }: Place & { readonly value: readonly Value[] },
): string {
  const list = pair.value as YAMLSeq;
  const plain = list.items.map((item) => (isNode(item) ? (item.toJSON() as Value) : null));
  const added = value.filter((item) => !plain.some((known) => sameValue(known, item)));
  const index = plain.findIndex((item) => !value.some((wanted) => sameValue(item, wanted)));
  if (index >= 0) {
    if (plain.length === 1) return replaceValue(text, pair, value);
    const next = removeItem(text, list, index);
    const found = findPair(next, path);
    return found ? writeList(next, { pair: found, path, value }) : next;
  }
  if (added.length === 0) return text;
  const last = list.items.at(-1);
  if (last === undefined) return replaceValue(text, pair, value);
  if (list.flow) {
    const at = nodeEnd(last);
    return `${text.slice(0, at)}, ${added.map((item) => inlineText(valueNode(item))).join(', ')}${text.slice(at)}`;
  }
  const column = dashColumn(text, last);
  const at = lineEnd(text, nodeEnd(last));
  const lines = added.map((item) => `- ${inlineText(valueNode(item))}\n`).join('');
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const head = text.slice(0, at);
  const block = indented(lines, column).replaceAll('\n', end);
  return `${head}${head.endsWith('\n') ? '' : end}${block}${text.slice(at)}`;
}

function removeItem(text: string, list: YAMLSeq, index: number): string {
  const item = list.items[index];
  const [start = 0] = isNode(item) ? (item.range ?? []) : [];
  if (list.flow) {
    const next = list.items[index + 1];
    const previous = list.items[index - 1];
    if (isNode(next)) return text.slice(0, start) + text.slice(next.range?.[0] ?? start);
    return text.slice(0, nodeEnd(previous)) + text.slice(nodeEnd(item));
  }
  const from = text.lastIndexOf('\n', start - 1) + 1;
  return text.slice(0, from) + text.slice(lineEnd(text, nodeEnd(item)));
}

/** The column of the dash before an item of a block list. */
function dashColumn(text: string, item: unknown): number {
  const start = isNode(item) ? (item.range?.[0] ?? 0) : 0;
  const line = text.lastIndexOf('\n', start - 1) + 1;
  return text.slice(line, start).indexOf('-');
}

function removeKey(text: string, path: readonly string[]): string {
  const holderPath = path.slice(0, -1);
  const holderPair = holderPath.length > 0 ? findPair(text, holderPath) : undefined;
  const holder = holderPair ? holderPair.value : parsed(text);
  const pair = pairOf(holder, path.at(-1) ?? '');
  if (pair === undefined) return text;
  const map = holder as YAMLMap;
  if (map.items.length === 1 && holderPair) return replaceValue(text, holderPair, {});
  const start = (pair.key as Scalar).range?.[0] ?? 0;
  const index = map.items.indexOf(pair);
  if (map.flow) {
    const next = map.items[index + 1];
    if (next) return text.slice(0, start) + text.slice((next.key as Scalar).range?.[0] ?? start);
    const previous = map.items[index - 1];
    return text.slice(0, previous ? pairEnd(previous) : start) + text.slice(pairEnd(pair));
  }
  const from = start - columnOf(text, pair.key as Scalar);
  const to = lineEnd(text, pairEnd(pair));
  // The first key of a mapping in a list follows its dash.
  const head = text.slice(from, start).trim() === '' ? text.slice(0, from) : text.slice(0, start);
  // The last entry takes the empty lines above it along.
  return index === map.items.length - 1
    ? withoutEmptyEnd(head) + text.slice(to)
    : head + text.slice(to).replace(/^(?:[ \t]*\r?\n)+/, '');
}

function withoutEmptyEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, text.indexOf('\n', text.trimEnd().length) + 1) : text;
}

/** A value as a node with the quotes that its key or its former value has. */
function nodeOf(key: string, value: Value, former?: unknown) {
  if (typeof value !== 'string') return valueNode(value);
  const style = isScalar(former) ? former.type : undefined;
  if (value.includes('\n') || key === 'iac-version' || style === Scalar.QUOTE_DOUBLE) return quoted(value);
  const node = valueNode(value);
  if (style === Scalar.QUOTE_SINGLE && isScalar(node) && !node.type) node.type = Scalar.QUOTE_SINGLE;
  return node;
}

/** A node on one line. */
function inlineText(node: ReturnType<typeof valueNode>): string {
  return inline(yamlMapping([['k', node]])).slice('{k: '.length, -1);
}

/** Whether a file has a key at the path. */
export function hasPath(text: string, path: readonly string[]): boolean {
  return findPair(text, path) !== undefined;
}
