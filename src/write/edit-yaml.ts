import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { AttuneError } from '../model/diagnostic.ts';
import { isRecord, sameValue, type Value, type Values } from '../model/value.ts';
import { entryLines, inlineMapping, inlineText, mappingNode } from './yaml-text.ts';

/*
 * The editor of files. The document model shows where each key, value and entry begins and ends. An edit replaces these
 * characters, and keeps every other byte: comments, quotes, indentation, line ends.
 */

/**
 * An edit of one file. The path has the keys that lead to a mapping, which gets new entries at its end, or to a value, of
 * which only the differing entries are written. Without a value, the key is removed.
 */
export type Edit = { readonly file: string; readonly path: readonly string[] } & (
  | { readonly add: Values }
  | { readonly value: Value | undefined }
);

/** @throws {AttuneError} if other lines use an anchor of what would change, or nothing can be added at the path. */
export function editYaml(text: string, edit: Edit): string {
  const { file, path } = edit;
  const isAddition = 'add' in edit;
  const code = isAddition ? 'not-importable' : 'not-acceptable';
  const fail = (message: string, hint: string) => new AttuneError(message, { code, hint });
  const anchor = text.includes('&') ? sharedAnchor(text, path, !isAddition) : undefined;
  if (anchor !== undefined)
    throw fail(
      `other lines use its anchor &${anchor} in ${file}`,
      `write the value out where *${anchor} is used, then run the command again`,
    );
  const edited = 'add' in edit ? addEntries(text, path, edit.add) : writeAt(text, path, edit.value);
  if (edited !== undefined) return edited;
  throw fail(
    `${file}: cannot add to ${path.join('.')}: it is not a plain mapping`,
    'write it as a mapping; no files were written',
  );
}

function sharedAnchor(text: string, path: readonly string[], isReplaced: boolean): string | undefined {
  const values = path.map((_, depth) => pairAt(text, path.slice(0, depth + 1))?.value).filter(isNode);
  const anchors = values.flatMap((value) => (isAlias(value) ? [] : (value.anchor ?? [])));
  if (isReplaced && values.length === path.length)
    visit(values.at(-1) ?? null, { Value: (_key, { anchor }) => void (anchor && anchors.push(anchor)) });
  return anchors.find((anchor) => text.split(/[\s,\]}]/).includes(`*${anchor}`));
}

function addEntries(text: string, path: readonly string[], entries: Values): string | undefined {
  if (Object.keys(entries).length === 0) return text;
  let holder = contentsOf(text);
  for (const [depth, key] of path.entries()) {
    if (!isMap(holder)) return undefined;
    const pair = pairIn(holder, key);
    const inner = path.slice(depth + 1).reduceRight<Values>((value, one) => ({ [one]: value }), entries);
    if (pair === undefined) return append(text, holder as YAMLMap, path.slice(0, depth), { [key]: inner });
    if (isNothing(pair.value))
      return holder.flow
        ? replaceValue(text, pair, inner)
        : fill(text, pair, path.slice(0, depth + 1), inner);
    holder = pair.value;
  }
  return isMap(holder) ? append(text, holder as YAMLMap, path, entries) : undefined;
}

function writeAt(text: string, path: readonly string[], value: Value | undefined): string | undefined {
  const holder = path.slice(0, -1);
  if (value === undefined) return removeKey(text, path);
  const pair = pairAt(text, path);
  if (pair === undefined) return addEntries(text, holder, { [path.at(-1) ?? '']: value });
  const node = pair.value;
  if (isSeq(node) && Array.isArray(value)) return writeList(text, path, value);
  if (isMap(node) && isRecord(value)) return writeMapping(text, path, value as Values);
  const isSame = isScalar(node) && rangeOf(node) && sameValue(node.value as Value, value);
  return isSame ? text : replaceValue(text, pair, value);
}

function writeMapping(text: string, path: readonly string[], value: Values): string | undefined {
  const pair = pairAt(text, path);
  const keys = isMap(pair?.value) ? pair.value.items.map(({ key }) => keyText(key)) : [];
  const gone = keys.filter((key) => key !== '<<' && !Object.hasOwn(value, key));
  if (pair && gone.length === keys.length) return replaceValue(text, pair, value);
  const edits = [...gone.map((key) => [key, undefined] as const), ...Object.entries(value)];
  return edits.reduce<string | undefined>(
    (current, [key, inner]) => current && writeAt(current, [...path, key], inner),
    text,
  );
}

function writeList(text: string, path: readonly string[], value: readonly Value[]): string {
  const pair = pairAt(text, path) as Pair;
  const list = pair.value as YAMLSeq;
  const former = list.items.map((item) => (isNode(item) ? (item.toJSON() as Value) : null));
  const added = value.filter((item) => !former.some((known) => sameValue(known, item)));
  const gone = former.findIndex((item) => !value.some((wanted) => sameValue(item, wanted)));
  const last = list.items.at(-1);
  if (last === undefined || (gone >= 0 && former.length === 1)) return replaceValue(text, pair, value);
  if (gone >= 0) return writeList(removeElement(text, list, gone), path, value);
  if (added.length === 0) return text;
  const [start, end] = offsetsOf(last);
  const items = added.map((item) => inlineText('', item));
  if (list.flow) return splice(text, end, end, `, ${items.join(', ')}`);
  const line = lineStart(text, start);
  const dash = text.slice(line, start).indexOf('-');
  return insertLines(text, end, dash, items.map((item) => `- ${item}\n`).join(''));
}

function removeKey(text: string, path: readonly string[]): string {
  const holderPair = path.length > 1 ? pairAt(text, path.slice(0, -1)) : undefined;
  const holder = holderPair ? holderPair.value : contentsOf(text);
  const pair = pairIn(holder, path.at(-1) ?? '');
  if (pair === undefined) return text;
  const map = holder as YAMLMap;
  if (map.items.length === 1 && holderPair) return replaceValue(text, holderPair, {});
  return removeElement(text, map, map.items.indexOf(pair));
}

function removeElement(text: string, { items, flow }: YAMLMap | YAMLSeq, index: number): string {
  const [previous, element, next] = [items[index - 1], items[index], items[index + 1]];
  const [start, end] = offsetsOf(element);
  if (flow && next) return splice(text, start, offsetsOf(next)[0], '');
  if (flow) return splice(text, previous ? offsetsOf(previous)[1] : start, end, '');
  const head = text.slice(0, lineStart(text, start));
  const rest = text.slice(lineEnd(text, end));
  // The empty lines below an entry belong to it. The last one has those above.
  if (next) return head + rest.replace(/^(?:[ \t]*\r?\n)+/, '');
  return head.slice(0, head.indexOf('\n', head.trimEnd().length) + 1) + rest;
}

/** `workspaces:`, `workspaces: ~` and `workspaces: {}` are empty mappings. */
function isNothing(value: unknown): boolean {
  return (
    value === null || (isScalar(value) && value.value === null) || (isMap(value) && value.items.length === 0)
  );
}

/** Writes the entries as a block below the line of their key, which has no value. */
function fill(text: string, { key, value }: Pair, path: readonly string[], entries: Values): string {
  const [start, end] = rangeOf(value) ?? [nodeEnd(key), nodeEnd(key)];
  const head = start < end ? text.slice(0, start).trimEnd() : text.slice(0, end);
  const column = columnOf(text, key) + 2;
  const { lines } = entryLines(path, entries, true);
  return insertLines(head + text.slice(end), head.length, column, lines, false);
}

/** Puts a value on the line of its key. A comment behind the key stays there. */
function replaceValue(text: string, { key, value: node }: Pair, value: Value): string {
  const written = inlineText(keyText(key), value, node);
  const keyEnd = nodeEnd(key);
  const colon = keyEnd + (/^\s*:/.exec(text.slice(keyEnd))?.[0].length ?? 0);
  const range = rangeOf(node);
  if (range === undefined) return splice(text, colon, colon, `${colon === keyEnd ? ':' : ''} ${written}`);
  const [start] = range;
  const end = isCollection(node) && !node.flow ? nodeEnd(node) : range[1];
  // The range of a block of text has its last line end.
  const last = end - (/\r?\n$/.exec(text.slice(0, end))?.[0].length ?? 0);
  const between = text.slice(colon, start);
  const isBelow = between.includes('\n');
  const ofText = /^[|>][-+\d]*([ \t]+#.*)?/.exec(text.slice(start, last))?.[1] ?? '';
  const comment = isBelow ? (between.split('\n')[0] ?? '').trimEnd() : ofText;
  return splice(text, colon, last, `${isBelow ? ' ' : between}${written}${comment}`);
}

function append(text: string, map: YAMLMap, path: readonly string[], entries: Values): string {
  const last = map.items.at(-1);
  if (map.flow) {
    const at = last ? offsetsOf(last)[1] : (map.range?.[1] ?? 1) - 1;
    return splice(text, at, at, `${last ? ', ' : ''}${inlineMapping(mappingNode([], entries))}`);
  }
  const { lines, isSeparated } = entryLines(path, entries, areSeparated(text, map));
  // After a block of text that keeps its line ends, an empty line would be part of its value.
  const gap = isSeparated && !keepsLineEnds(text, map) ? '\n' : '';
  return insertLines(text, nodeEnd(map), columnOf(text, map.items[0]?.key), gap + lines);
}

function areSeparated(text: string, { items }: YAMLMap): boolean | undefined {
  const [last, other] = items.toReversed();
  return other && /\n[ \t\r]*\n/.test(text.slice(offsetsOf(other)[1], offsetsOf(last)[0]));
}

function keepsLineEnds(text: string, node: unknown): boolean {
  const last = lastIn(node);
  if (last !== undefined) return keepsLineEnds(text, isPair(last) ? last.value : last);
  const [start] = rangeOf(node) ?? [0];
  return isScalar(node) && /^[|>][0-9]?\+/.test(text.slice(start, start + 3));
}

/** Inserts lines after the line in which something ends, and after comments that belong to it, in the file's line ends. */
function insertLines(text: string, end: number, column: number, lines: string, skips = true): string {
  const from = lineEnd(text, end);
  // A comment with the indentation of the entries belongs to them. One at the margin may not.
  const comments = new RegExp(`(?:(?:[ \\t]*\\r?\\n)*[ ]{${column},}#.*(?:\\n|$))*`, 'y');
  comments.lastIndex = from;
  const at = skips && column > 0 ? from + (comments.exec(text)?.[0].length ?? 0) : from;
  const isOpen = at > 0 && text[at - 1] !== '\n';
  const added = `${isOpen ? '\n' : ''}${lines.replaceAll(/^(?=.)/gm, ' '.repeat(column))}`;
  return splice(text, at, at, text.includes('\r\n') ? added.replaceAll('\n', '\r\n') : added);
}

function splice(text: string, start: number, end: number, added: string): string {
  return text.slice(0, start) + added + text.slice(end);
}

/** The text that was parsed last: an edit looks up several keys of the same text. Nothing changes the nodes. */
let latest: { readonly text: string; readonly contents: unknown } = { text: '', contents: null };

function contentsOf(text: string): unknown {
  if (latest.text !== text) {
    const { contents } = parseDocument(text, { version: '1.2', schema: 'core', resolveKnownTags: false });
    latest = { text, contents };
  }
  return latest.contents;
}

export function pairAt(text: string, path: readonly string[]): Pair | undefined {
  const [key = '', ...rest] = path.toReversed();
  return pairIn(rest.length === 0 ? contentsOf(text) : pairAt(text, rest.toReversed())?.value, key);
}

function pairIn(holder: unknown, key: string): Pair | undefined {
  return isMap(holder) ? holder.items.find((item) => keyText(item.key) === key) : undefined;
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? (key.source ?? key.value) : key);
}

function rangeOf(value: unknown): readonly [number, number] | undefined {
  const [start = 0, end = 0] = isNode(value) ? (value.range ?? []) : [];
  return end > start ? [start, end] : undefined;
}

function offsetsOf(element: unknown): readonly [number, number] {
  if (!isPair(element)) return [rangeOf(element)?.[0] ?? 0, nodeEnd(element)];
  return [rangeOf(element.key)?.[0] ?? 0, nodeEnd(rangeOf(element.value) ? element.value : element.key)];
}

function lastIn(node: unknown): unknown {
  return isCollection(node) && !node.flow ? node.items.at(-1) : undefined;
}

/** The end of its last value, before comments that follow. */
function nodeEnd(node: unknown): number {
  const last = lastIn(node);
  return last === undefined ? (isNode(node) && node.range?.[1]) || 0 : offsetsOf(last)[1];
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The offset after the line feed that ends a line; `offset` itself if a block of text includes the line feed. */
function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

function columnOf(text: string, key: unknown): number {
  const [offset] = rangeOf(key) ?? [0];
  const start = lineStart(text, offset);
  // A byte order mark takes no column.
  return offset - start - (text.startsWith('\uFEFF', start) ? 1 : 0);
}
