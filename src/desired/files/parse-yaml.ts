import { Composer, type Document, isScalar, Lexer, type ParsedNode, Parser, type YAMLError } from 'yaml';
import type { Problem, Problems } from '../problems.ts';
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

/** Reads YAML text into nodes. Undefined where there is nothing to read; the problems then say why. */
export function parseYaml(source: Source, problems: Problems): ParsedNode | undefined {
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
    problems.add({
      code: 'several-documents',
      message: 'a file holds one document, and here a second one starts',
      hint: 'remove the "---", or put the rest into a file of its own and name it under include',
      location: locationAt(source, second.contents?.range[0] ?? second.range[0]),
    });
    return undefined;
  }
  if (first.contents && !isNothing(first.contents)) return first.contents;
  problems.add({
    code: 'empty-file',
    message: 'there is nothing in this file',
    hint: 'remove it from include, or write what it shall declare',
    location: locationAt(source, 0),
  });
  return undefined;
}

function isNothing(contents: ParsedNode): boolean {
  return isScalar(contents) && contents.value === null;
}

/** Fills `tokens`. Returns where and why it stopped, where the text would take too much to read. */
function readTokens(
  text: string,
  tokens: Token[],
): (Omit<Problem, 'location'> & { readonly offset: number }) | undefined {
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

const tooDeep = {
  code: 'too-deep',
  message: `more than ${deepest} levels of nesting`,
  hint: 'a configuration needs six',
};

const tooLong = {
  code: 'file-too-large',
  message: `the file has more than ${mostLexemes} words and signs`,
  hint: 'split it and name the parts under include',
};

function reportSyntax(source: Source, document: Document.Parsed, problems: Problems): boolean {
  // Warnings are tags that mean nothing here (`!include`, `!env`) and would be dropped silently.
  const errors: readonly YAMLError[] = [...document.errors, ...document.warnings];
  for (const error of errors.slice(0, mostSyntaxErrors)) {
    problems.add({
      code: 'yaml-syntax',
      message: syntaxMessage(error),
      hint:
        syntaxHints[error.code] ?? 'look at this line and the one before it: brackets, quotes, indentation',
      location: locationAt(source, Math.min(error.pos[0], source.text.length)),
    });
  }
  return errors.length > 0;
}

function syntaxMessage(error: YAMLError): string {
  if (error.code !== 'TAG_RESOLVE_FAILED') return error.message;
  return `${error.message.replace('Unresolved tag:', 'unknown tag')}; YAML is plain data here`;
}

const syntaxHints: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'indent with spaces',
  MISSING_CHAR: 'a colon or a quote is missing here or shortly before',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing, or the indentation of the next line is off',
  BLOCK_AS_IMPLICIT_KEY: 'put quotes around a value that holds ": "',
  BAD_SCALAR_START: 'put quotes around the value',
  TAG_RESOLVE_FAILED: 'remove the tag, or put quotes around the value if the "!" belongs to it',
};
