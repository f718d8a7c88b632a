import { isMap, isNode, isPair, isScalar, isSeq, type Pair, parseDocument, type Scalar, YAMLMap } from 'yaml';
import { AttuneError } from '../model/attune-error.ts';
import { printNode, spacedMapping, type YamlEntry, yamlMapping } from './yaml-nodes.ts';

/** Entries to add to one mapping of a file, which is identified by its keys. */
export interface Insertion {
  readonly path: readonly string[];
  readonly entries: readonly YamlEntry[];
}

/**
 * Adds entries at the ends of existing mappings of a file, in the style of each mapping. The document model gives the
 * positions; existing bytes are not changed.
 *
 * @throws {AttuneError} if a mapping cannot be added to, as with `*alias`.
 */
export function insertEntries(text: string, file: string, insertions: readonly Insertion[]): string {
  const filled = insertions.filter(({ entries }) => entries.length > 0);
  return filled.reduce((current, insertion) => insert(current, file, insertion), text);
}

function insert(text: string, file: string, { path, entries }: Insertion): string {
  const document = parseDocument(text, { version: '1.2', schema: 'core', resolveKnownTags: false });
  let holder: unknown = document.contents;
  for (const [depth, key] of path.entries()) {
    if (!isMap(holder)) throw notExtensible(file, path);
    const pair = holder.items.find(
      (item) => isScalar(item.key) && (item.key.source ?? item.key.value) === key,
    );
    const rest = () => nested(path.slice(depth + 1), entries);
    if (pair === undefined) return append(text, holder as YAMLMap, [[key, rest()]]);
    if (isNothing(pair.value)) return fill(text, { pair, isInline: holder.flow === true }, rest());
    holder = pair.value;
  }
  if (!isMap(holder)) throw notExtensible(file, path);
  return append(text, holder as YAMLMap, entries);
}

function nested(path: readonly string[], entries: readonly YamlEntry[]): YAMLMap {
  const [key, ...rest] = path;
  return key === undefined ? spacedMapping(entries) : yamlMapping([[key, nested(rest, entries)]]);
}

/** `workspaces:`, `workspaces: ~` and `workspaces: {}` are empty mappings. */
function isNothing(value: unknown): boolean {
  return (
    value === null || (isScalar(value) && value.value === null) || (isMap(value) && value.items.length === 0)
  );
}

interface EmptyPair {
  readonly pair: Pair;
  /** Whether it is inside braces, where a block is not allowed. */
  readonly isInline: boolean;
}

/** Replaces the empty value with the content, as a block below the line of its key. */
function fill(text: string, { pair: { key, value }, isInline }: EmptyPair, content: YAMLMap): string {
  const [start, end] = valueRange(value) ?? [nodeEnd(key), nodeEnd(key)];
  const head = start < end ? text.slice(0, start).trimEnd() : text.slice(0, end);
  if (isInline)
    return `${head}${head.endsWith(':') ? '' : ':'} ${inline(content)}${text.slice(end).replace(/^:/, '')}`;
  const line = lineEnd(text, end);
  const block = indented(printNode(content), columnOf(text, key as Scalar) + 2);
  return join(text, head + text.slice(end, line), block, text.slice(line));
}

export function inline(content: YAMLMap): string {
  content.flow = true;
  return printNode(content).trim();
}

export function valueRange(value: unknown): readonly [number, number] | undefined {
  const [start = 0, end = 0] = isNode(value) ? (value.range ?? []) : [];
  return end > start ? [start, end] : undefined;
}

function append(text: string, map: YAMLMap, entries: readonly YamlEntry[]): string {
  if (map.flow) return appendInline(text, map, entries);
  const column = columnOf(text, map.items[0]?.key as Scalar | undefined);
  const at = commentsEnd(text, lineEnd(text, nodeEnd(map)), column);
  const isSeparated = isSpaced(text, map, entries);
  // After a block scalar that keeps its line breaks, an empty line would be part of its value.
  const gap = isSeparated && !keepsLineEnds(text, map) ? '\n' : '';
  const block = indented(printNode(isSeparated ? spacedMapping(entries) : yamlMapping(entries)), column);
  return join(text, text.slice(0, at), gap + block, text.slice(at));
}

/** `{a: 1}` becomes `{a: 1, b: 2}`. */
function appendInline(text: string, map: YAMLMap, entries: readonly YamlEntry[]): string {
  const last = map.items.at(-1);
  const at = last ? pairEnd(last) : (map.range?.[1] ?? 1) - 1;
  return `${text.slice(0, at)}${last ? ', ' : ''}${inline(yamlMapping(entries)).slice(1, -1)}${text.slice(at)}`;
}

/** Whether an empty line precedes the addition: as between the existing entries, or else between the new ones. */
function isSpaced(text: string, map: YAMLMap, entries: readonly YamlEntry[]): boolean {
  const [last, other] = map.items.toReversed();
  if (!last || !other) return entries.some(([, value]) => value instanceof YAMLMap && !value.flow);
  const between = text.slice(pairEnd(other), (last.key as Scalar).range?.[0] ?? 0);
  return /\n[ \t\r]*\n/.test(between);
}

/** Whether its last value is a block scalar with the indicator `+`. */
function keepsLineEnds(text: string, node: unknown): boolean {
  const last = (isMap(node) || isSeq(node)) && !node.flow ? node.items.at(-1) : undefined;
  if (isPair(last)) return keepsLineEnds(text, last.value);
  if (last !== undefined) return keepsLineEnds(text, last);
  if (!isScalar(node) || (node.type !== 'BLOCK_LITERAL' && node.type !== 'BLOCK_FOLDED')) return false;
  const start = node.range?.[0] ?? 0;
  return /^[|>][0-9]?\+/.test(text.slice(start, start + 3));
}

/** The end of its last value, before trailing comments. */
export function nodeEnd(node: unknown): number {
  const last = (isMap(node) || isSeq(node)) && !node.flow ? node.items.at(-1) : undefined;
  if (isPair(last)) return pairEnd(last);
  if (last !== undefined) return nodeEnd(last);
  return isNode(node) ? (node.range?.[1] ?? 0) : 0;
}

export function pairEnd({ key, value }: Pair): number {
  return nodeEnd(valueRange(value) ? value : key);
}

/** The offset after the line feed that ends a line; `offset` itself if a block of text includes the line feed. */
export function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

/** The offset after comments with the entries' indentation, which belong to them. A comment at the margin may not. */
function commentsEnd(text: string, offset: number, column: number): number {
  if (column === 0) return offset;
  const comments = new RegExp(`(?:(?:[ \\t]*\\r?\\n)*[ ]{${column},}#.*(?:\\n|$))*`, 'y');
  comments.lastIndex = offset;
  return offset + (comments.exec(text)?.[0].length ?? 0);
}

export function columnOf(text: string, node: Scalar | undefined): number {
  const offset = node?.range?.[0] ?? 0;
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  // A byte order mark takes no column.
  return offset - start - (text.startsWith('\uFEFF', start) ? 1 : 0);
}

export function indented(block: string, column: number): string {
  return block.replaceAll(/^(?=.)/gm, ' '.repeat(column));
}

/** Joins the parts with the line ends of the file. */
function join(text: string, before: string, added: string, after: string): string {
  const block = text.includes('\r\n') ? added.replaceAll('\n', '\r\n') : added;
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${block}${after}`;
}

function notExtensible(file: string, path: readonly string[]): AttuneError {
  return new AttuneError(`${file}: cannot add to ${path.join('.')}: it is not a plain mapping`, {
    code: 'not-importable',
    hint: 'write it as a mapping without anchors; no files were written',
  });
}
