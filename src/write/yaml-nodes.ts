import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isRecord, type Value } from '../model/value.ts';

export type ValueNode = YAMLMap | YAMLSeq | Scalar;
export type YamlEntry = readonly [string, ValueNode];

/** A mapping of pairs; keys and values may be nodes already. */
export function yamlMapping(pairs: Iterable<YamlEntry>): YAMLMap {
  const map = new YAMLMap();
  for (const [key, value] of pairs) map.items.push(new Pair(scalar(key), value));
  return map;
}

/** The same with an empty line between all entries if one of them takes several lines. */
export function spacedMapping(pairs: readonly YamlEntry[]): YAMLMap {
  const map = yamlMapping(pairs);
  const isLong = pairs.some(([, value]) => value instanceof YAMLMap && !value.flow);
  for (const { key } of isLong ? map.items.slice(1) : []) (key as Scalar).spaceBefore = true;
  return map;
}

/** A value as a node: on one line if it fits. */
export function valueNode(value: Value): ValueNode {
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items.push(...value.map(valueNode));
    list.flow = fitsOneLine(value);
    return list;
  }
  if (isRecord(value)) {
    const map = yamlMapping(Object.entries(value).map(([key, item]) => [key, valueNode(item as Value)]));
    map.flow = fitsOneLine(value);
    return map;
  }
  return scalar(value as string | number | boolean | null);
}

const longestInline = 90;

function fitsOneLine(value: Value): boolean {
  const text = JSON.stringify(value);
  return text.length <= longestInline && !text.includes('\\n');
}

/**
 * A scalar that every reader parses as the same value: quoted if it is ambiguous, a block if it has lines that a block
 * preserves, and with escapes for invisible characters.
 */
export function scalar(value: string | number | boolean | null): Scalar {
  const node = new Scalar<unknown>(value);
  if (typeof value !== 'string') return node;
  if (unseen.test(value)) node.type = Scalar.QUOTE_DOUBLE;
  else if (value.includes('\n'))
    node.type = keepsItsLines(value) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
  return node;
}

/** A string in double quotes. */
export function quoted(value: string): Scalar {
  const node = new Scalar(value);
  node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

/** Control characters except line feeds, marks for the direction of text, line separators, invalid characters. */
const unseen =
  /(?!\n)[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const allUnseen = new RegExp(unseen, 'gu');

/** Whether a block preserves the text: no spaces at the ends of lines or before the first, one line feed at the end. */
function keepsItsLines(text: string): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  return /^\S/.test(text) && lines.at(-1) !== '' && lines.every((line) => !line.endsWith(' '));
}

/** Escapes the invisible characters of a double-quoted scalar. */
function escapeUnseen(text: string): string {
  return text.replaceAll(allUnseen, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
    return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
  });
}

/** The text of a mapping. Long text is never folded, and quoted if any version of YAML would parse it differently. */
export function printNode(contents: YAMLMap): string {
  const document = new Document(contents, { version: '1.2', schema: 'core', compat: 'yaml-1.1' });
  const text = document.toString({
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    flowCollectionPadding: false,
  });
  return escapeUnseen(text);
}
