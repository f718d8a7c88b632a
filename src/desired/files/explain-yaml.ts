import { Composer, Lexer, Parser, type YAMLError } from 'yaml';
import { problem } from '../../model/diagnostic.ts';
import { codePoint } from '../../model/text.ts';
import { entryHint, lookAlikeHint } from '../mistyped.ts';
import type { Problems } from '../problems.ts';
import { locationAt, type Source } from './source.ts';

/** The library composes by recursion, so what is deeper is left out. */
const deepest = 100;
/** One broken quote makes an error of every line after it. */
const mostShown = 20;
const wrongColumn = 'must start at the same column';
/** The messages of errors that lines after them can repeat: one bracket too many ends the document. */
const followed = new RegExp(`${wrongColumn}$| token in YAML stream`);

/**
 * Reports what is wrong in a text that js-yaml cannot read; false if `yaml`, which explains more, finds nothing.
 *
 * @param failedAt where js-yaml failed.
 */
export function explainYaml(source: Source, problems: Problems, failedAt = source.text.length): boolean {
  const report = ({ offset, message, hint }: Explained) =>
    problems.add(problem('yaml-syntax', message, { at: locationAt(source, offset), hint }));
  const space = indentedBySpace(source);
  if (space && locationAt(source, space.offset).line <= locationAt(source, failedAt).line) {
    report(space);
    return true;
  }
  const { documents, quotes } = documentsOf(source.text);
  const [first, second] = documents;
  const { errors, following } = withoutFollowing(first?.errors ?? [], source);
  const deeper = errors.flatMap((error) => deeperLine(source, error) ?? []);
  // The same line is also a key of several lines.
  const others = errors.filter(({ pos }) => deeper.every(({ error }) => error.pos[0] !== pos[0]));
  const [open] = others.flatMap((error) => openQuote(error, quotes) ?? openBracket(error) ?? []);
  const found = [
    ...deeper,
    ...others.slice(0, mostShown).map((error) => explained(error, source)),
    // What follows an open quote or bracket is read as a part of it.
  ].filter(({ offset }) => open === undefined || offset < open.offset);
  const more = open || following === 0 ? '' : ` (and ${following} more that can follow from it)`;
  for (const [index, one] of (open ? [...found, open] : found).entries())
    report(index > 0 ? one : { ...one, message: one.message + more });
  if (errors.length === 0 && second)
    report({
      offset: second.contents?.range[0] ?? second.range[0],
      message: 'a second document starts here, but a file contains one document',
      hint: 'remove the "---", or move the second document to another file and name it under include',
    });
  return errors.length > 0 || second !== undefined;
}

function withoutFollowing(all: readonly YAMLError[], source: Source) {
  const errors = all.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const [first] = errors;
  const lineOf = ({ pos: [offset] }: YAMLError) => locationAt(source, offset).line;
  const misplaced = errors.filter((error) => followed.test(error.message) || deeperLine(source, error));
  const lines = new Set([first, ...misplaced].flatMap((error) => (error ? lineOf(error) : [])));
  const kept = errors.filter((error) => error.pos[0] === first?.pos[0] || !lines.has(lineOf(error)));
  return { errors: kept, following: Math.max(lines.size - 1, 0) };
}

interface Explained {
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
}

interface Quoted {
  readonly start: number;
  readonly text: string;
}

function documentsOf(text: string) {
  const parser = new Parser();
  const tokens = [];
  const quotes: Quoted[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    if (/^["']/.test(lexeme)) quotes.push({ start: parser.offset, text: lexeme });
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > deepest) break;
  }
  tokens.push(...parser.end());
  const options = { uniqueKeys: false, logLevel: 'silent' } as const;
  return { documents: [...new Composer(options).compose(tokens, true, text.length)], quotes };
}

/** The characters that look like a space where YAML needs one: before a key, and after a colon or a dash. */
const oddSpace =
  /^[ \t]*(?:- +)*(?:["']?[\w.-]+["']?:|-)?(?<odd>[\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff])/mu;

function indentedBySpace({ text }: Source): Explained | undefined {
  const { index = 0, 0: line = '', groups: { odd } = {} } = oddSpace.exec(text) ?? {};
  if (odd === undefined) return undefined;
  return {
    offset: index + line.length - odd.length,
    message: `${codePoint(odd)} is not a space of YAML, although it looks like one`,
    hint: `${lookAlikeHint(odd)}, here and in the lines below`,
  };
}

function openQuote({ pos: [at], message }: YAMLError, quotes: readonly Quoted[]): Explained | undefined {
  const quoted = quotes.findLast(({ start }) => start < at);
  if (!quoted) return undefined;
  const { start, text } = quoted;
  const closesLater = start + text.length === at && /[:,[{-][ \t]*["']$/.test(text) && text.includes('\n');
  if (!message.startsWith('Missing closing') && !closesLater) return undefined;
  const [quote = ''] = text;
  return {
    offset: start,
    message: `the ${quote === '"' ? 'double' : 'single'} quote that opens here is not closed`,
    hint: `add the closing ${quote} at the end of the value`,
  };
}

function openBracket({ pos: [offset], message }: YAMLError): Explained | undefined {
  const [, kind, bracket] = /^Flow (map|sequence) .* end with a (.)/.exec(message) ?? [];
  if (bracket === undefined) return undefined;
  const what = kind === 'map' ? 'mapping' : 'list';
  return {
    offset,
    message: `a ${what} in brackets is not closed before this line`,
    hint: `add "${bracket}" at the end of the ${what}`,
  };
}

function explained(error: YAMLError, { text }: Source): Explained {
  const { code, message } = error;
  const offset = Math.min(error.pos[0], text.length);
  const hint = hints[code] ?? 'check brackets, quotes and indentation in this line and the line before it';
  if (text.startsWith(`\${`, offset - 1))
    return {
      offset: offset - 1,
      message: `Attune does not replace \${...}`,
      hint: 'write the value itself, and put quotes around it if it has brackets',
    };
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  for (const [pattern, instead] of code === 'UNEXPECTED_TOKEN' ? endings : []) {
    const [found] = pattern.exec(before) ?? [];
    if (found === undefined) continue;
    const [sign = ''] = found;
    const message = />|\|/.test(sign)
      ? cannotBegin(sign)
      : `the value ends at this ${sign}, but the line continues`;
    return { offset: offset - found.length, message, hint: instead };
  }
  const [, sign] = /^Plain value cannot start with .* (\S)$/.exec(message) ?? [];
  if (sign !== undefined) return { offset, message: cannotBegin(sign), hint };
  if (code === 'BLOCK_AS_IMPLICIT_KEY')
    return { offset, message: 'the value contains ": ", which begins a mapping', hint };
  if (code === 'MULTILINE_IMPLICIT_KEY' || message.startsWith('Implicit map keys')) {
    const instead = entryHint(lineAt(text, offset)) ?? hint;
    return { offset, message: 'this line has no colon after its key', hint: instead };
  }
  if (message.endsWith(wrongColumn)) return misaligned(text, dedentedLine(text, contentAt(text, offset)));
  return { offset, message, hint };
}

/** The line after a plain value that continues it: the value has no `: ` itself, but that line does. */
function deeperLine(
  { text }: Source,
  error: YAMLError,
): (Explained & { readonly error: YAMLError }) | undefined {
  if (error.code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined;
  const [start] = error.pos;
  if (error.message.startsWith('A block sequence')) return { error, ...misaligned(text, start) };
  const end = text.indexOf('\n', start);
  if (end < 0 || /:(\s|$)/.test(text.slice(start, end))) return undefined;
  const line = contentAt(text, end + 1);
  const dedented = dedentedLine(text, line);
  if (dedented !== line) return { error, ...misaligned(text, dedented) };
  return {
    error,
    offset: line + text.slice(line).search(/\S|$/),
    message: 'this line is indented more than the value before it, so YAML reads it as a part of that value',
    hint: 'indent the line like the key before it',
  };
}

function lineAt(text: string, offset: number): string {
  return text.slice(offset).split('\n', 1)[0]?.trim() ?? '';
}

function misaligned(text: string, offset: number): Explained {
  const line = lineAt(text, offset);
  const hint = /^-[^\s-]/.test(line) ? entryHint(line) : undefined;
  if (hint !== undefined) return { offset, message: 'this entry has no space after its "-"', hint };
  return {
    offset,
    message: 'this line does not begin at the column of the other keys or entries beside it',
    hint: 'indent this line like the other keys of its mapping, or the entries of its list',
  };
}

function contentAt(text: string, start: number): number {
  blankLines.lastIndex = start;
  return start + (blankLines.exec(text)?.[0].length ?? 0);
}

const blankLines = /(?:[ \t\r]*(?:#.*)?\n)*/y;

/**
 * The start of the line that is indented too little, if that is why the line at `start` has a wrong column: that line ended a
 * mapping which the lines after it continue. Else `start`.
 */
function dedentedLine(text: string, start: number): number {
  const lines = [...text.matchAll(/^( *)([^\s#].*)$/gm)].map(
    ({ index, 1: spaces = '', 2: content = '' }) => ({
      start: index,
      indent: spaces.length,
      isOpen: /:\s*(?:#.*)?$/.test(content),
    }),
  );
  const { indent = 0 } = lines.find((line) => line.start === start) ?? {};
  const before = lines.filter((line) => line.start < start);
  const at = before.findLastIndex((line) => line.indent < indent);
  const dedented = before[at];
  const parent = before.slice(0, Math.max(at, 0)).findLast((line) => line.indent < indent);
  if (!dedented || !parent) return start;
  const isContinued = before[at - 1] !== parent;
  const endsSeveral = parent.indent > dedented.indent && !dedented.isOpen;
  const hasDeeper = dedented.isOpen && (before[at + 1]?.indent ?? 0) > indent;
  const isFirstKey = parent.isOpen && !dedented.isOpen && parent.indent === dedented.indent;
  return (isContinued ? endsSeveral || hasDeeper : isFirstKey) ? dedented.start : start;
}

const hints: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_DQ_ESCAPE: 'write two backslashes, or put single quotes around the value',
  MISSING_CHAR: 'add the comma, colon or quote that is missing here or shortly before',
  MULTILINE_IMPLICIT_KEY: 'add the colon after the key, or correct the indentation of the next line',
  BLOCK_AS_IMPLICIT_KEY: 'put quotes around a value that contains ": "',
  BAD_SCALAR_START: 'put quotes around the value',
};

const cannotBegin = (sign: string) => `a value cannot begin with ${sign} without quotes`;

/** The end of the text before an unexpected one, and what to do. */
const endings: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/(?<= )[>|]\S* *$/, 'put quotes around the value'],
  [/" *$/, 'write \\" for a quote inside double quotes, or put single quotes around the value'],
  [/' *$/, "write '' for a quote inside single quotes, or put double quotes around the value"],
  [/[\]}] *$/, 'put quotes around the whole value, or add the comma between two entries'],
];
