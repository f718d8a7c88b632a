import { codePoint, quote } from '../model/text.ts';

/*
 * What was probably meant where a text is not what its place requires: characters that look like others, as word processors
 * and web pages write them, a key with its value that YAML reads as one text, and variables of other languages.
 */

const lookAlikes = [
  { pattern: /\u00a0/, name: 'no-break space', instead: ' ' },
  { pattern: /\u202f/, name: 'narrow no-break space', instead: ' ' },
  { pattern: /[\u2028\u2029]/, name: 'line or paragraph separator', instead: ' ' },
  { pattern: /[\u1680\u2000-\u200a\u205f\u3000]/, name: 'wide or thin space', instead: ' ' },
  { pattern: /[\u00ad\u200b-\u200d\u2060\ufeff]/, name: 'invisible character', instead: '' },
  { pattern: /\uff1a/, name: 'wide colon', instead: ':' },
  { pattern: /^[\u201c-\u201f]|[\u201c-\u201f]$/, name: 'typographic quote', instead: '"' },
  { pattern: /^[\u2018-\u201b]|[\u2018-\u201b]$/, name: 'typographic quote', instead: "'" },
  { pattern: /^[\u2010-\u2015](?=\s)/, name: 'dash', instead: '-' },
];

export function lookAlikeHint(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  for (const { pattern, name, instead } of lookAlikes) {
    const [found] = pattern.exec(text) ?? [];
    if (found === undefined) continue;
    const written = { ' ': 'a space', '': 'nothing' }[instead] ?? instead;
    return `replace the ${name} (${codePoint(found)}) with ${written}`;
  }
  return undefined;
}

export function entryHint(text: string): string | undefined {
  const line = text.trim();
  if (line.startsWith('//')) return 'begin a comment with "#"';
  if (/^-[^\s-]/.test(line)) return 'write a space after each "-"';
  const [, word] = /^([\w-]+)$/.exec(line) ?? [];
  if (word !== undefined) return `write "${word}:", with a colon`;
  const [, key, value] = /^([\w.-]+)\s*(?:=\s*|:(?!\/\/)|\s+)(\S.*)$/.exec(line) ?? [];
  return key === undefined || value === undefined
    ? undefined
    : `write "${key}: ${value}", with a colon and a space`;
}

export function literalName(name: unknown): [code: string, message: string, hint: string] | undefined {
  if (typeof name !== 'string' || !/\$\{.*\}/.test(name)) return undefined;
  return [
    'not-interpolated',
    `${quote(name)} is compared as a name: Attune does not replace \${...}`,
    'write the name itself; declare templates, or a program, for what differs from place to place',
  ];
}
