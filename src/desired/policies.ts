import { resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { type Diagnostic, problem, type SourceLocation } from '../model/diagnostic.ts';
import { movedLocation, relativePath } from '../model/files.ts';
import type { Policy, PolicyExpression } from '../model/rules.ts';
import type { loadCompiler } from '../policy/compile.ts';
import { ExpressionError, Meter } from '../policy/meter.ts';
import { declaredTwice } from './declarations.ts';
import { readConfigFile } from './files/read-file.ts';
import { digestOf, locationAt } from './files/source.ts';
import { createLoading, type Loading } from './problems.ts';
import type { RawFile } from './schema/language.ts';

type RawPolicy = NonNullable<RawFile['policies']>[number];

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
  readonly known: Map<string, SourceLocation>;
}

function readPolicy(raw: RawPolicy, context: PolicyContext): Policy[] {
  const { id, on = 'change', severity = 'error', message } = raw;
  if (id === undefined) return [];
  const { loading, known } = context;
  const location = loading.origins.atValue(raw, 'id');
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
      when: when?.expression,
      require: require.expression,
      severity,
      message,
      location,
      fields: [...new Set(found.flatMap(({ fields }) => [...fields]))],
    },
  ];
}

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
    const at = { policy: id, location: expression.at(error.offset) };
    const message = `cannot compile ${key} of policy ${id}: ${error.message}`;
    loading.problems.add(problem('bad-policy', message, { at, hint: error.hint }));
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
  const start = origins.atValue(raw, key);
  const source = origins.get(raw)?.source;
  const line = source?.lineStarts[start.line - 1];
  // A place in a program is the place of the whole policy.
  if (!source || line === undefined || start.construct !== undefined || source.file !== start.file)
    return { text, at: () => start };
  return {
    text,
    at(index) {
      const offset = offsetIn(source.text, line + start.column - 1, { text, index });
      return offset === undefined ? start : locationAt(source, offset);
    },
  };
}

/**
 * The offset in a file of a character of a YAML string; after its last one of the end. Each style of YAML writes the visible
 * characters in their order, with whitespace in between. Undefined for other texts, such as an alias.
 */
function offsetIn(
  file: string,
  start: number,
  { text, index }: { readonly text: string; readonly index: number },
): number | undefined {
  const style = file[start] ?? '';
  const isDouble = style === '"';
  const space = isDouble ? /(?:\s|\\(?:[ntr ]|\r?\n))*/y : /\s*/y;
  const character = isDouble ? /\\(?:x..|u....|.)|./sy : style === "'" ? /''|./sy : /./sy;
  const take = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(file)?.[0] ?? '';
  };
  let end = /[|>]/.test(style) ? file.indexOf('\n', start) : start + (/["']/.test(style) ? 1 : 0);
  let last = start;
  for (const [at, visible] of text.split('').entries()) {
    if (at > index || /\s/.test(visible)) continue;
    last = end + take(space, end).length;
    const written = take(character, last);
    if (written[0] !== visible && !(isDouble && written[0] === '\\')) return undefined;
    end = last + written.length;
  }
  return index < text.length ? last : end;
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

export async function loadPolicyFiles(
  files: readonly string[],
  cwd: string,
): Promise<PolicyFiles | undefined> {
  if (files.length === 0) return undefined;
  const loading = createLoading();
  const raws: RawFile[] = [];
  for (const path of new Set(files.map((file) => resolve(cwd, file)))) {
    const file = relativePath(cwd, path) || '.';
    const raw = await readConfigFile(path, 'policy-file', { file, folder: cwd, loading });
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
    when: when && expression(when),
    require: expression(require),
    location: place(policy.location),
  };
}
