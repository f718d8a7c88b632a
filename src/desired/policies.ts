import { resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Diagnostic, SourceLocation } from '../model/diagnostic.ts';
import { movedLocation, relativePath } from '../model/files.ts';
import type { Policy, PolicyExpression } from '../model/rules.ts';
import type { loadCompiler } from '../policy/compile.ts';
import { ExpressionError, Meter } from '../policy/meter.ts';
import { declaredTwice } from './declarations.ts';
import { readConfigFile } from './files/read-file.ts';
import { digestOf, locateValue, locationAt, sourceOf } from './files/source.ts';
import { createLoading, type Loading } from './problems.ts';
import type { RawFile, RawPolicy } from './schema/language.ts';

/** The policies that files declare, compiled to check them. Those with errors are left out. */
export async function readPolicies(files: readonly RawFile[], loading: Loading): Promise<readonly Policy[]> {
  const declared = files.flatMap(({ policies }) => policies ?? []);
  if (declared.length === 0) return [];
  const { loadCompiler } = await import('../policy/compile.ts');
  const context = { loading, compile: await loadCompiler(), known: new Map<string, SourceLocation>() };
  const policies: Policy[] = [];
  for (const raw of declared) {
    // Large patterns take a while: a signal is handled between policies.
    await turn();
    policies.push(...readPolicy(raw, context));
  }
  return policies;
}

interface PolicyContext {
  readonly loading: Loading;
  readonly compile: Awaited<ReturnType<typeof loadCompiler>>;
  /** The places of the ids so far. */
  readonly known: Map<string, SourceLocation>;
}

function readPolicy(raw: RawPolicy, context: PolicyContext): Policy[] {
  const { id, on = 'change', severity = 'error', message } = raw;
  if (id === undefined) return [];
  const { loading, known } = context;
  const location = locateValue(loading.origins, raw, 'id');
  const other = known.get(id);
  if (other) loading.problems.add(...declaredTwice(`the policy "${id}"`, other, location));
  known.set(id, location);
  const when = compiled('when', raw, { id, on }, context);
  const require = compiled('require', raw, { id, on }, context);
  const found = [when, require].flatMap((one) => one ?? []);
  if (require === undefined || message === undefined) return [];
  return [
    {
      id,
      on,
      ...(when && { when: when.expression }),
      require: require.expression,
      severity,
      message,
      location,
      fields: [...new Set(found.flatMap(({ fields }) => [...fields]))],
    },
  ];
}

/** An expression of a policy, compiled to check it; undefined if it is missing or has errors, which are reported. */
function compiled(
  key: 'when' | 'require',
  raw: RawPolicy,
  { id, on }: Pick<Policy, 'id' | 'on'>,
  { loading, compile }: PolicyContext,
) {
  const expression = expressionOf(raw, key, loading);
  if (expression === undefined) return undefined;
  try {
    const { fields } = compile(expression.text, on, new Meter());
    return { expression, fields };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    loading.problems.error('bad-policy', `cannot compile ${key} of policy ${id}: ${error.message}`, {
      at: { policy: id, location: expression.at(error.offset) },
      hint: error.hint,
    });
    return undefined;
  }
}

function expressionOf(
  raw: RawPolicy,
  key: 'when' | 'require',
  { origins }: Loading,
): PolicyExpression | undefined {
  const text = raw[key];
  if (text === undefined) return undefined;
  const start = locateValue(origins, raw, key);
  // A place in a program is the place of the whole policy.
  const source = start.construct === undefined ? sourceOf(origins, raw) : undefined;
  const offset = source && offsetOf(source.lineStarts, start);
  const offsets =
    source && offset !== undefined && source.file === start.file
      ? scalarOffsets(source.text, offset, text)
      : undefined;
  return {
    text,
    at: (index) => {
      if (source === undefined || offsets === undefined) return start;
      // After the end is after the last character that is visible.
      const end = offsets[text.trimEnd().length - 1];
      const place = offsets[index] ?? (end === undefined ? offset : end + 1);
      return place === undefined ? start : locationAt(source, place);
    },
  };
}

function offsetOf(lineStarts: ArrayLike<number>, { line, column }: SourceLocation): number | undefined {
  const start = lineStarts[line - 1];
  return start === undefined ? undefined : start + column - 1;
}

/** The files that are named with `--policy`, together. */
export interface PolicyFiles {
  /** What places are relative to. */
  readonly folder: string;
  readonly policies: readonly Policy[];
  readonly diagnostics: readonly Diagnostic[];
  /** The SHA-256 of their content. */
  readonly digest: string;
}

/** Reads policy files. Their ids are unique together. */
export async function loadPolicyFiles(
  files: readonly string[],
  cwd: string,
): Promise<PolicyFiles | undefined> {
  if (files.length === 0) return undefined;
  const loading = createLoading();
  const raws: RawFile[] = [];
  for (const path of new Set(files.map((file) => resolve(cwd, file)))) {
    const file = relativePath(cwd, path) || '.';
    const raw = await readConfigFile(path, { file, folder: cwd, role: 'policy-file', loading });
    if (raw) raws.push(raw);
  }
  const policies = await readPolicies(raws, loading);
  return {
    folder: cwd,
    policies,
    diagnostics: loading.problems.diagnostics(loading.sources),
    digest: digestOf(loading.sources.map(({ text }) => text)),
  };
}

/**
 * The policies of a configuration together with those of policy files. The same policy in both is evaluated once; two
 * policies that only share their id are both evaluated, so that no file can replace a policy of `--policy`.
 */
export function withPolicyFiles(
  own: readonly Policy[],
  { policies, folder }: PolicyFiles,
  root: string,
): readonly Policy[] {
  const given = policies.map((policy) => moved(policy, folder, root));
  const contents = new Set(given.map(contentOf));
  return [...given, ...own.filter((policy) => !contents.has(contentOf(policy)))];
}

function contentOf({ id, on, when, require, severity, message }: Policy): string {
  return JSON.stringify([id, on, when?.text, require.text, severity, message]);
}

/** With places relative to another folder. */
function moved(policy: Policy, from: string, to: string): Policy {
  if (from === to) return policy;
  const place = (location: SourceLocation) => movedLocation(location, from, to);
  const expression = ({ text, at }: PolicyExpression): PolicyExpression => ({
    text,
    at: (offset) => place(at(offset)),
    namedAt: at,
  });
  const { when, require } = policy;
  return {
    ...policy,
    ...(when && { when: expression(when) }),
    require: expression(require),
    location: place(policy.location),
  };
}

/**
 * The offset in a file of each character of a YAML string, for errors inside it. Undefined if they cannot be assigned:
 * the value is an alias, or is tagged.
 *
 * @param text the file
 * @param start the offset of the string in it
 * @param value the string that it is read as
 */
export function scalarOffsets(text: string, start: number, value: string): readonly number[] | undefined {
  const style = text[start];
  const found =
    style === '|' || style === '>'
      ? blockOffsets(text, start, value)
      : flowOffsets(text, start, value, style === '"' || style === "'" ? style : '');
  const offsets = found.slice(0, value.length);
  const isRight = offsets.every((offset, index) =>
    isWritten(value[index] ?? '', text.slice(offset, offset + 2)),
  );
  return isRight && offsets.length === value.length ? offsets : undefined;
}

function isWritten(character: string, source: string): boolean {
  return character === source[0] || /\s/.test(character) || source[0] === '\\';
}

/** Plain and quoted strings: a line break is a space, further ones are line breaks. */
function flowOffsets(text: string, start: number, value: string, quote: '"' | "'" | ''): number[] {
  const offsets: number[] = [];
  const fold = /[ \t]*(?:\r?\n[ \t]*)+/y;
  const escaping = /\\(?:\r?\n[ \t]*|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)/sy;
  let at = start + quote.length;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (offsets.length < value.length && at < text.length) {
    const breaks = take(fold);
    const escaped = quote === '"' ? take(escaping) : undefined;
    if (breaks !== undefined) {
      const lines = breaks.split('\n').length - 1;
      for (let count = Math.max(1, lines - 1); count > 0; count--) offsets.push(at);
      at += breaks.length;
    } else if (escaped !== undefined) {
      // An escaped line break is nothing; a character beyond the first 65,536 is two units.
      if (!/^\\\r?\n/.test(escaped)) offsets.push(at);
      if (escaped.length === 10 && Number.parseInt(escaped.slice(2), 16) > 0xffff) offsets.push(at);
      at += escaped.length;
    } else {
      offsets.push(at);
      at += quote === "'" && text.startsWith("''", at) ? 2 : 1;
    }
  }
  return offsets;
}

/** Literal (`|`) and folded (`>`) strings. */
function blockOffsets(text: string, start: number, value: string): number[] {
  const isFolded = text[start] === '>';
  const offsets: number[] = [];
  let at = lineEnd(text, start) + 1;
  const indent = blockIndent(text, at, value);
  while (offsets.length < value.length && at < text.length) {
    const end = lineEnd(text, at);
    const last = text[end - 1] === '\r' ? end - 1 : end;
    for (let offset = at + indent; offset < last; offset++) offsets.push(offset);
    if (!isFolded) offsets.push(last);
    // In a folded string the value shows what the line break has become.
    else if (value[offsets.length] === ' ') offsets.push(last);
    else if (last > at + indent) while (value[offsets.length] === '\n') offsets.push(last);
    at = end + 1;
  }
  return offsets;
}

/** The first line of a block has the indentation of the block, and the spaces that the value starts with. */
function blockIndent(text: string, start: number, value: string): number {
  const spaces = (line: string) => line.length - line.trimStart().length;
  const first = (lines: string) => lines.split('\n').find((line) => line.trim() !== '') ?? '';
  return spaces(first(text.slice(start))) - spaces(first(value));
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}
