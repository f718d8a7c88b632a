import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { isRecord } from '../../src/model/value.ts';
import { type Service, serve } from './service.ts';

/**
 * A table has a head and rows. The title of a row begins with `=== `; its other lines are requests, with options of the
 * service in YAML before them. Options in the head are those of all rows, and a key of a row replaces it.
 *
 *     @owner POST /organizations/acme/workspaces workspaces {name: app, .project: projects/prj-1} => 201 {name: app} as $app
 *
 * - `@owner` is the token.
 * - The body is YAML. After a type, a mapping has attributes, and relationships after a dot; a list has ids, or attributes.
 * - The answer has this status, and no content if it is 204. A text is a part of the first error: its pointer, title or
 *   detail. A mapping has parts of `data`: attributes and identifiers of relationships on one level, whole relationships
 *   after a dot, and the whole answer as `body`. A list has all entries. `/x/` is a pattern, and `absent` means no value.
 * - `as $app` keeps the id for the lines after it.
 */
const folder = join(import.meta.dirname, 'contract');
const request =
  /^(?:@(?<token>\S+) )?(?<method>[A-Z]+) (?<path>\/\S+)(?: (?<sent>.*))? => (?<status>\d+)(?: (?!as \$)(?<expected>.*?))?(?: as \$(?<kept>\w+))?$/;
const isRequest = (line: string) => /^(@\S+ )?[A-Z]+ \//.test(line);

type Options = EmulatorOptions & { readonly seed?: object };

function optionsIn(lines: readonly string[]): Options {
  const text = lines.filter((line) => !isRequest(line)).join('\n');
  return parse(text.startsWith('{') ? text.replaceAll('\n', ' ') : text) ?? {};
}

const identifier = (text: string) => {
  const [type, id] = text.split('/');
  return { type, id };
};

function related(name: string, value: unknown): unknown {
  if (typeof value === 'string') return { data: identifier(value) };
  if (!Array.isArray(value)) return value === null ? { data: null } : value;
  const item = (one: unknown) =>
    typeof one === 'string' ? identifier(one) : { type: name, attributes: one as object };
  return { data: value.map(item) };
}

function bodyOf(text: string): unknown {
  const [, type, content = text] = /^([a-z-]+) ([{[].*)$/.exec(text) ?? [];
  const given: unknown = parse(content);
  if (type === undefined) return given;
  if (Array.isArray(given))
    return { data: given.map((one) => (isRecord(one) ? { type, attributes: one } : { type, id: one })) };
  const entries = Object.entries(given as Readonly<Record<string, unknown>>);
  const relationships = entries
    .filter(([key]) => key.startsWith('.'))
    .map(([key, value]) => [key.slice(1), related(key.slice(1), value)]);
  return {
    data: {
      type,
      attributes: Object.fromEntries(entries.filter(([key]) => !key.startsWith('.'))),
      ...(relationships.length > 0 && { relationships: Object.fromEntries(relationships) }),
    },
  };
}

/** A resource with everything on one level. */
function flat(value: unknown): unknown {
  if (!isRecord(value) || typeof value.type !== 'string') return value;
  const { attributes = {}, relationships = {}, ...rest } = value;
  const ids = Object.entries(relationships as object).map(([name, relation]) => {
    const { data, links } = relation as { readonly data?: unknown; readonly links?: unknown };
    const shown = (one: unknown) => (isRecord(one) ? `${one.type}/${one.id}` : one);
    if (data === undefined) return [name, { links }];
    return [name, Array.isArray(data) ? data.map(shown) : shown(data)];
  });
  const whole = Object.entries(relationships as object).map(([name, relation]) => [`.${name}`, relation]);
  return { ...rest, ...(attributes as object), ...Object.fromEntries([...ids, ...whole]) };
}

function label(item: unknown, expected: unknown): unknown {
  const { id, type, name, key, value, links } = flat(item) as Record<string, unknown>;
  if (expected === id || expected === `${type}/${id}`) return expected;
  if (key === undefined) return name ?? id;
  const from = isRecord(links) && links['inherited-from'] ? ` from ${links['inherited-from']}` : '';
  return `${key}=${value}${from}`;
}

/** The parts of a value that are expected. */
function parts(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(actual))
    return actual.map((one, index) =>
      isRecord(one) && !isRecord(expected[index]) ? label(one, expected[index]) : parts(one, expected[index]),
    );
  if (isRecord(expected) && isRecord(actual)) {
    const shown = flat(actual) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(expected).map(([key, value]) => [
        key,
        key in shown ? parts(shown[key], value) : 'absent',
      ]),
    );
  }
  const pattern = typeof expected === 'string' ? /^\/(.*)\/$/.exec(expected)?.[1] : undefined;
  return pattern !== undefined && typeof actual === 'string' && new RegExp(pattern).test(actual)
    ? expected
    : actual;
}

async function check({ ask }: Service, line: string, ids: Map<string, string>): Promise<void> {
  const known = line.replaceAll(/\$(\w+)/g, (text, name) => ids.get(name) ?? text);
  const { token, method = '', path = '', sent, status, expected, kept } = request.exec(known)?.groups ?? {};
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await ask(method, path, sent === undefined ? undefined : bodyOf(sent), headers);
  expect([line, reply.status], JSON.stringify(reply.body)).toEqual([line, Number(status)]);
  if (reply.status === 204) expect([line, reply.body]).toEqual([line, undefined]);
  const data = reply.body?.data;
  if (kept !== undefined) ids.set(kept, [data].flat()[0].id);
  if (expected === undefined) return;
  const wanted: unknown = /^[{[]/.test(expected) ? parse(expected) : expected;
  if (typeof wanted !== 'string') {
    const shown = Array.isArray(wanted) ? data : { ...(flat(data ?? {}) as object), body: reply.body };
    expect([line, parts(shown, wanted)]).toEqual([line, wanted]);
    return;
  }
  const [{ source, title, detail }] = reply.body.errors;
  const texts: readonly unknown[] = [source?.pointer, title, detail];
  const isPart = texts.some(
    (text) => text === wanted || (!wanted.startsWith('/') && String(text).includes(wanted)),
  );
  expect([line, isPart ? wanted : texts]).toEqual([line, wanted]);
}

for (const file of readdirSync(folder).sort()) {
  const [head = '', ...rows] = readFileSync(join(folder, file), 'utf8').split(/^=== /m);
  const shared = optionsIn(head.split('\n').slice(1));
  describe(file, () => {
    test.each(rows.map((row) => row.split('\n').filter((line) => line !== '')))('%s', async (_, ...lines) => {
      const { seed, ...own } = optionsIn(lines);
      const service = await serve({
        ...shared,
        ...own,
        seed: { ...shared.seed, ...seed },
      } as EmulatorOptions);
      const ids = new Map<string, string>();
      const requests = lines.filter(isRequest);
      expect(requests.filter((line) => !request.test(line))).toEqual([]);
      for (const line of requests) await check(service, line, ids);
    });
  });
}
