import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { isRecord } from '../src/model/value.ts';

const root = join(import.meta.dirname, '..');

interface Expression {
  readonly at: string;
  readonly source: string;
  readonly flags: string;
}

/** Values for the names in `new RegExp(...)`, but for constants of its file. */
const samples = {
  anchor: 'base',
  escaped: (text: string) => text,
  keys: ['tag', 'name'],
  settings: ['tags', 'vcs-repo'],
  key: 'organization',
  kind: 'workspaces',
  column: 4,
  // A literal, and a member of a schema: both are tested on their own.
  unseen: /a/,
  pattern: 'a',
  rule: { pattern: 'a' },
  path: '/organizations/:organization/workspaces/:name',
  name: 'Latin',
  section: 'workspaces',
  sectionsOfFile: ['scope', 'limits'],
  journalFormat: 'attune.journal/1',
  characters: ['(?:%61|a)', '(?:%2[fF]|\\/)', '(?:%61|a)'],
  token: 'a"/\\',
  spellingsOf: (character: string) => `(?:\\\\u00[26]1|\\\\?\\${character})`,
};

const texts = new Set(['Literal', 'TemplateLiteral', 'TaggedTemplateExpression', 'BinaryExpression']);

/** The regular expressions in a source: literals, and those made of a text. */
function expressionsIn(file: string): Expression[] {
  const text = readFileSync(join(root, 'src', file), 'utf8');
  const found: Expression[] = [];
  const constants = new Map<string, string>();
  const textOf = ({ start, end }: Record<string, unknown>) => text.slice(Number(start), Number(end));
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isRecord(node)) return;
    const { type, id, init, callee, regex } = node;
    if (type === 'VariableDeclarator' && isRecord(id) && isRecord(init) && texts.has(String(init.type)))
      constants.set(String(id.name), textOf(init));
    if (type === 'Literal' && isRecord(regex))
      found.push({ at: file, source: String(regex.pattern), flags: String(regex.flags) });
    if (/^(New|Call)Expression$/.test(String(type)) && isRecord(callee) && callee.name === 'RegExp') {
      const made = textOf(node);
      const used = [...constants].filter(
        ([name]) => !(name in samples) && new RegExp(`\\b${name}\\b`).test(made),
      );
      const code = [...used.map(([name, value]) => `var ${name} = ${value};`), made].join('\n');
      const { source, flags } = runInNewContext(code, { ...samples }) as RegExp;
      found.push({ at: file, source, flags });
    }
    Object.values(node).forEach(visit);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return found;
}

/** The patterns in a schema, which a validator applies to the values of a file. */
function patternsIn(schema: string): Expression[] {
  const text = readFileSync(join(root, 'schemas', schema), 'utf8');
  const found = new Set<string>();
  JSON.parse(text, (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') found.add(value);
    return value;
  });
  return [...found].map((source) => ({ at: schema, source, flags: 'u' }));
}

const limit = 20_000;

/**
 * The first expression of which the work grows faster than the text. The long text takes a linear one some milliseconds, and
 * one with quadratic work about a minute.
 */
function firstSuperLinear(expressions: readonly Expression[], first: number): Promise<number | undefined> {
  const worker = new Worker(new URL('support/run-expressions.mjs', import.meta.url), {
    workerData: { expressions, first, lengths: [2000, 250_000], suspicious: 2 },
  });
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const end = (found?: number) => {
      clearTimeout(timer);
      void worker.terminate();
      resolve(found);
    };
    worker.on('error', reject);
    worker.on('message', (index?: number) => {
      clearTimeout(timer);
      if (index === undefined) end();
      else timer = setTimeout(end, limit, index);
    });
  });
}

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).sort();

test('the work of each regular expression grows no faster than the text', async () => {
  const expressions = [
    ...files.filter((file) => /(?<!\.d)\.ts$/.test(file)).flatMap(expressionsIn),
    ...readdirSync(join(root, 'schemas')).flatMap(patternsIn),
  ];
  const found: string[] = [];
  for (let next: number | undefined = 0; next !== undefined; ) {
    const index: number | undefined = await firstSuperLinear(expressions, next);
    const { at, source, flags } = (index !== undefined && expressions[index]) || {};
    if (source !== undefined) found.push(`${at}: /${source}/${flags}`);
    next = index === undefined ? undefined : index + 1;
  }
  expect(found).toEqual([]);
});
