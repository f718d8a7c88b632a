import { Composer, Lexer, Parser, type YAMLError } from 'yaml';
import { problem } from '../../model/diagnostic.ts';
import { codePoint } from '../../model/text.ts';
import { groupBy } from '../../model/value.ts';
import { entryHint, lookAlikeHint } from '../mistyped.ts';
import type { Problems } from '../problems.ts';
import { locationAt, type Source } from './source.ts';

/** The library composes by recursion, so what is deeper is left out. */
const deepest = 100;
/** One broken quote makes an error of every line after it. */
const mostShown = 20;
/** After such an error, the lines below are read as something else. */
const structural = new Set<YAMLError['code']>([
  'BAD_INDENT',
  'BLOCK_AS_IMPLICIT_KEY',
  'MULTILINE_IMPLICIT_KEY',
  'TAB_AS_INDENT',
]);

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
  const errors = (first?.errors ?? [])
    .toSorted((a, b) => a.pos[0] - b.pos[0])
    // What follows the end of a document that a bracket too many makes.
    .filter(({ message }, index) => index === 0 || !message.includes('token in YAML stream'));
  const byLine = groupBy(errors, ({ pos }) => locationAt(source, pos[0]).line);
  for (const [error] of [...byLine.values()].slice(0, mostShown) as [YAMLError][]) {
    const open = openQuote(error, quotes);
    report(open ?? explained(error, source));
    if (open || structural.has(error.code)) break;
  }
  if (errors.length === 0 && second)
    report({
      offset: second.contents?.range[0] ?? second.range[0],
      message: 'a second document starts here, but a file contains one document',
      hint: 'remove the "---", or move the second document to another file and name it under include',
    });
  return errors.length > 0 || second !== undefined;
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
  /^[ \t]*(?:- +)*(?:["']?[\w.-]+["']?:|-)?(?<odd>[\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff])/mu;

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

function explained(error: YAMLError, { text }: Source): Explained {
  blankLines.lastIndex = error.pos[0];
  const skipped = error.code === 'BAD_INDENT' ? (blankLines.exec(text)?.[0].length ?? 0) : 0;
  const offset = Math.min(error.pos[0] + skipped, text.length);
  if (text.startsWith(`\${`, offset - 1))
    return {
      offset: offset - 1,
      message: `Attune does not replace \${...}`,
      hint: 'write the value itself, and put quotes around it if it has brackets',
    };
  const about = `${error.code} ${error.message}`;
  const [, hint, message = error.message] = explanations.find(([pattern]) => pattern.test(about)) ?? usual;
  const line = text.slice(offset).split('\n', 1)[0] ?? '';
  return { offset, message, hint: (message === noColon && entryHint(line)) || hint };
}

const blankLines = /(?:[ \t\r]*(?:#.*)?\n)*/y;
const noColon = 'this line has no colon after its key';

/** What to do about an error, by its code and message, and a message that is clearer than that of the library. */
const explanations: readonly Explanation[] = [
  [
    /^BAD_INDENT Flow map/,
    'add "}" at the end of the mapping',
    'a mapping in brackets is not closed before this line',
  ],
  [
    /^BAD_INDENT Flow seq/,
    'add "]" at the end of the list',
    'a list in brackets is not closed before this line',
  ],
  [
    /^BAD_INDENT/,
    'indent this line like the other keys of its mapping, or the entries of its list',
    'this line does not begin at the column of the other keys or entries beside it',
  ],
  [
    /^UNEXPECTED_TOKEN .* at node end$/,
    'put quotes around the whole value, or add the comma between two entries',
    'the value ends before this place, but the line continues',
  ],
  [
    /^BLOCK_AS_IMPLICIT_KEY/,
    'put quotes around a value with ": ", or indent the lines below it less',
    'a mapping or a list begins inside a value',
  ],
  [/^MULTILINE_IMPLICIT_KEY/, 'add the colon, or correct the indentation of the next line', noColon],
  [/^BAD_DQ_ESCAPE/, 'write two backslashes, or put single quotes around the value'],
  [/^(?:BAD_SCALAR_START|UNEXPECTED_TOKEN)/, 'put quotes around the value'],
  [/^MISSING_CHAR/, 'add the comma, colon or quote that is missing here or shortly before'],
  [/^TAB_AS_INDENT/, 'indent with spaces'],
];
const usual: Explanation = [
  /^/,
  'check brackets, quotes and indentation in this line and the line before it',
];

type Explanation = readonly [about: RegExp, hint: string, message?: string];
