import { Composer, type Document, isScalar, Lexer, type ParsedNode, Parser, type YAMLError } from 'yaml';
import { type Diagnostic, problem } from '../../model/diagnostic.ts';
import type { Problems } from '../problems.ts';
import { locationAt, type Source } from './source.ts';

/** Configurations are six levels deep; the library would answer thousands with a stack overflow. */
const deepest = 100;
/** An honest file of 16 MiB, with 60,000 workspaces, has fewer; one of nothing but commas would take all memory. */
const mostLexemes = 6_000_000;
/** One broken quote makes an error of every line after it. */
const mostSyntaxErrors = 20;

type Token = ReturnType<Parser['next']> extends Generator<infer T> ? T : never;

const options = {
  version: '1.2',
  schema: 'core',
  // Tags beyond the core ones would turn text into dates, sets and bytes.
  resolveKnownTags: false,
  // The library compares each key with all before it; ours are compared by a Map while the data is made.
  uniqueKeys: false,
  // `<<` is resolved in the same place.
  merge: false,
  logLevel: 'silent',
} as const;

/**
 * Reads YAML text into nodes. Undefined if the text cannot be read; the problems then contain the reason.
 *
 * @param emptyHint what to do if the file is empty
 */
export function parseYaml(
  source: Source,
  problems: Problems,
  emptyHint = 'add a declaration',
): ParsedNode | undefined {
  const tokens: Token[] = [];
  const tooMuch = readTokens(source.text, tokens);
  if (tooMuch !== undefined) {
    const { offset, ...problem } = tooMuch;
    problems.add({ ...problem, location: locationAt(source, offset) });
    return undefined;
  }
  const documents = [...new Composer(options).compose(tokens, true, source.text.length)];
  const [first, second] = documents;
  if (!first || reportSyntax(source, first, problems)) return undefined;
  if (second) {
    problems.error('yaml-syntax', 'a second document starts here, but a file contains one document', {
      at: locationAt(source, second.contents?.range[0] ?? second.range[0]),
      hint: 'remove the "---", or move the second document to another file and name it under include',
    });
    return undefined;
  }
  if (first.contents && !isNothing(first.contents)) return first.contents;
  problems.error('empty-file', 'the file is empty', { at: locationAt(source, 0), hint: emptyHint });
  return undefined;
}

function isNothing(contents: ParsedNode): boolean {
  return isScalar(contents) && contents.value === null;
}

/** Fills `tokens`. Returns where and why it stopped if the text is too large. */
function readTokens(text: string, tokens: Token[]): (Diagnostic & { readonly offset: number }) | undefined {
  const parser = new Parser();
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    const offset = Math.min(parser.offset, text.length);
    if (parser.stack.length > deepest) return { ...tooDeep, offset };
    if (++lexemes > mostLexemes) return { ...tooLong, offset };
  }
  for (const token of parser.end()) tokens.push(token);
  return undefined;
}

const tooDeep = problem('file-too-large', `the file has more than ${deepest} levels of nesting`);

const tooLong = problem('file-too-large', `the file has more than ${mostLexemes} words and signs`, {
  hint: 'split it and name the parts under include',
});

function reportSyntax(source: Source, document: Document.Parsed, problems: Problems): boolean {
  // Warnings are tags that mean nothing here (`!include`, `!env`) and would be dropped silently.
  const errors: readonly YAMLError[] = [...document.errors, ...document.warnings];
  const deeper = errors.flatMap((error) => deeperLine(source, error) ?? []);
  for (const { offset } of deeper) {
    problems.error(
      'yaml-syntax',
      'this line is indented more than the value before it, so YAML reads it as a part of that value',
      { at: locationAt(source, offset), hint: 'indent the line like the key before it' },
    );
  }
  // The same line is also a key of several lines.
  const others = errors.filter(({ pos }) => deeper.every(({ error }) => error.pos[0] !== pos[0]));
  for (const error of others.slice(0, mostSyntaxErrors)) {
    problems.error('yaml-syntax', syntaxMessage(error), {
      at: locationAt(source, Math.min(error.pos[0], source.text.length)),
      hint: syntaxHint(error),
    });
  }
  return errors.length > 0;
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

function syntaxMessage(error: YAMLError): string {
  if (error.code !== 'TAG_RESOLVE_FAILED') return error.message;
  return `${error.message.replace('Unresolved tag:', 'unknown tag')}; YAML is plain data here`;
}

function syntaxHint({ code, message }: YAMLError): string {
  if (message.endsWith('must start at the same column'))
    return 'indent this line like the other keys of its mapping, or the entries of its list';
  return syntaxHints[code] ?? 'check brackets, quotes and indentation in this line and the line before it';
}

const syntaxHints: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'indent with spaces',
  MISSING_CHAR: 'add the colon or quote that is missing here or shortly before',
  MULTILINE_IMPLICIT_KEY: 'add the missing colon, or correct the indentation of the next line',
  BLOCK_AS_IMPLICIT_KEY: 'put quotes around a value that contains ": "',
  BAD_SCALAR_START: 'put quotes around the value',
  TAG_RESOLVE_FAILED: 'remove the tag, or put quotes around the value if the "!" belongs to it',
};
