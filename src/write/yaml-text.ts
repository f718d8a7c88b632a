import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isRecord, type Value, type Values } from '../model/value.ts';

/** How many levels below a section are blocks, if not one. What is deeper is on one line if it fits. */
const blockLevels: Readonly<Record<string, number>> = {
  ...{ include: 0, scope: 0 },
  ...{ defaults: 2, templates: 2, workspaces: 2, 'team-access': 2 },
};
/** Sections with empty lines between their entries if one of these takes several lines. */
const spacedSections: ReadonlySet<string> = new Set(['templates', 'workspaces']);
const longestInline = 90;

export function printFile(sections: Values, comment: string): string {
  const file = mappingNode([], sections);
  for (const [index, { key, value }] of file.items.entries()) {
    const node = key as Scalar;
    node.spaceBefore = index > 0 && node.value !== 'organization';
    if (spacedSections.has(String(node.value)) && value instanceof YAMLMap) separateEntries(value);
  }
  file.commentBefore = ` ${comment}`;
  return printNode(file);
}

/** @param separated whether there are empty lines between them; by default if one of them takes several lines */
export function entryLines(path: readonly string[], entries: Values, separated: boolean | undefined) {
  const mapping = mappingNode(path, entries);
  const isSeparated = separated ?? mapping.items.some(({ value }) => isBlock(value));
  if (isSeparated) separateEntries(mapping);
  return { lines: printNode(mapping), isSeparated };
}

export function inlineText(key: string, value: Value, former?: unknown): string {
  const node = valueNode(key, value, 0);
  if (node instanceof Scalar && typeof value === 'string' && former instanceof Scalar)
    if (former.type === 'QUOTE_DOUBLE' || (former.type === 'QUOTE_SINGLE' && !node.type))
      node.type = former.type;
  return inlineMapping(pairsNode([['k', node]])).slice('k: '.length);
}

export function inlineMapping(mapping: YAMLMap): string {
  mapping.flow = true;
  return printNode(mapping).trim().slice(1, -1);
}

export function mappingNode(path: readonly string[], entries: Values): YAMLMap {
  const [section] = path;
  return pairsNode(
    Object.entries(entries).map(([key, value]) => {
      const levels = blockLevels[section ?? key] ?? 1;
      return [key, valueNode(key, value, levels - path.length)];
    }),
  );
}

function pairsNode(pairs: readonly (readonly [string, YAMLMap | YAMLSeq | Scalar])[]): YAMLMap {
  const map = new YAMLMap();
  for (const [key, node] of pairs) map.items.push(new Pair(scalarNode(key), node));
  return map;
}

function valueNode(key: string, value: Value, blocks: number): YAMLMap | YAMLSeq | Scalar {
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items.push(...value.map((item) => valueNode('', item, 0)));
    list.flow = fitsOneLine(value);
    return list;
  }
  if (isRecord(value)) {
    const pairs = Object.entries(value as Values).map(
      ([inner, item]) => [inner, valueNode(inner, item, blocks - 1)] as const,
    );
    const map = pairsNode(pairs);
    map.flow = pairs.length === 0 || (blocks <= 0 && fitsOneLine(value as Value));
    return map;
  }
  const node = scalarNode(value as string | number | boolean | null);
  // Without quotes, a version could be a number.
  if (key === 'iac-version') node.type = 'QUOTE_DOUBLE';
  return node;
}

function separateEntries({ items }: YAMLMap): void {
  if (!items.some(({ value }) => isBlock(value))) return;
  for (const { key } of items.slice(1)) (key as Scalar).spaceBefore = true;
}

function isBlock(node: unknown): boolean {
  return node instanceof YAMLMap && !node.flow;
}

function fitsOneLine(value: Value): boolean {
  const text = JSON.stringify(value);
  return text.length <= longestInline && !text.includes('\\n');
}

/**
 * A scalar that every reader parses as the same value: quoted if it is ambiguous, a block if it has lines that a block
 * preserves, and with escapes for invisible characters.
 */
function scalarNode(value: string | number | boolean | null): Scalar {
  const node = new Scalar<unknown>(value);
  if (typeof value !== 'string') return node;
  if (unseen.test(value)) node.type = 'QUOTE_DOUBLE';
  else if (value.includes('\n')) node.type = keepsItsLines(value) ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE';
  return node;
}

/** Control characters except line feeds, marks for the direction of text, line separators, invalid characters. */
const unseen =
  /(?!\n)[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** Whether a block preserves the text: no spaces at the ends of lines or before the first, one line feed at the end. */
function keepsItsLines(text: string): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  return /^\S/.test(text) && lines.at(-1) !== '' && lines.every((line) => !line.endsWith(' '));
}

/** The text of a mapping. Long text is never folded, and quoted if any version of YAML would parse it differently. */
function printNode(contents: YAMLMap): string {
  const document = new Document(contents, { version: '1.2', schema: 'core', compat: 'yaml-1.1' });
  const text = document.toString({
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    flowCollectionPadding: false,
  });
  return text.replaceAll(new RegExp(unseen, 'gu'), (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
    return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
  });
}
