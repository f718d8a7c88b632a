import { Composer, Lexer, Parser, type YAMLError } from 'yaml';
import { problem } from '../../model/diagnostic.ts';
import type { Problems } from '../problems.ts';
import { locationAt, type Source } from './source.ts';

/** The library composes by recursion, so what is deeper is left out. */
const deepest = 100;
/** One broken quote makes an error of every line after it. */
const mostShown = 20;

/** Reports what is wrong in a text that js-yaml cannot read; false if `yaml`, which explains more, finds nothing. */
export function explainYaml(source: Source, problems: Problems): boolean {
  const report = (offset: number, message: string, hint: string) =>
    problems.add(problem('yaml-syntax', message, { at: locationAt(source, offset), hint }));
  const [first, second] = documentsOf(source.text);
  const errors = first?.errors ?? [];
  const deeper = errors.flatMap((error) => deeperLine(source, error) ?? []);
  for (const { offset } of deeper)
    report(
      offset,
      'this line is indented more than the value before it, so YAML reads it as a part of that value',
      'indent the line like the key before it',
    );
  // The same line is also a key of several lines.
  const others = errors.filter(({ pos }) => deeper.every(({ error }) => error.pos[0] !== pos[0]));
  for (const error of others.slice(0, mostShown))
    report(Math.min(error.pos[0], source.text.length), error.message, hintOf(error));
  if (errors.length === 0 && second)
    report(
      second.contents?.range[0] ?? second.range[0],
      'a second document starts here, but a file contains one document',
      'remove the "---", or move the second document to another file and name it under include',
    );
  return errors.length > 0 || second !== undefined;
}

function documentsOf(text: string) {
  const parser = new Parser();
  const tokens = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > deepest) break;
  }
  tokens.push(...parser.end());
  const options = { uniqueKeys: false, logLevel: 'silent' } as const;
  return [...new Composer(options).compose(tokens, true, text.length)];
}

/** The line after a plain value that continues it: the value has no `: ` itself, but that line does. */
function deeperLine(
  { text }: Source,
  error: YAMLError,
): { readonly error: YAMLError; readonly offset: number } | undefined {
  if (error.code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined;
  const [start] = error.pos;
  const end = text.indexOf('\n', start);
  if (end < 0 || /:(\s|$)/.test(text.slice(start, end))) return undefined;
  return { error, offset: end + text.slice(end).search(/\S|$/) };
}

function hintOf({ code, message }: YAMLError): string {
  if (message.endsWith('must start at the same column'))
    return 'indent this line like the other keys of its mapping, or the entries of its list';
  return hints[code] ?? 'check brackets, quotes and indentation in this line and the line before it';
}

const hints: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'indent with spaces',
  MISSING_CHAR: 'add the colon or quote that is missing here or shortly before',
  MULTILINE_IMPLICIT_KEY: 'add the missing colon, or correct the indentation of the next line',
  BLOCK_AS_IMPLICIT_KEY: 'put quotes around a value that contains ": "',
  BAD_SCALAR_START: 'put quotes around the value',
};
