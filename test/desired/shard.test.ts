import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig, pickShard } from '../../src/desired/load-config.ts';
import { folderWith } from '../support/attune.ts';
import { cases } from '../support/cases.ts';
import { rowsIn } from '../support/rows.ts';

const path = fc.stringMatching(/^[a-z]{1,3}\/[a-z]{1,3}\.yaml$/);
const roots = fc.uniqueArray(
  fc.record({ path, organization: fc.option(fc.constantFrom('acme', 'Acme', 'emea'), { nil: undefined }) }),
  { selector: (root) => root.path, maxLength: 30 },
);

test('every root file is in exactly one shard, whatever the number of shards', () => {
  fc.assert(
    fc.property(roots, fc.integer({ min: 1, max: 12 }), (all, count) => {
      const shards = Array.from({ length: count }, (_, at) => pickShard(all, { index: at + 1, count }));
      expect(shards.flat().sort(byPath)).toEqual([...all].sort(byPath));
    }),
    cases({ fast: 100, soak: 100 }),
  );
});

test('all root files of one organization are in one shard', () => {
  fc.assert(
    fc.property(roots, fc.integer({ min: 1, max: 12 }), (all, count) => {
      const holders = new Map<string, Set<number>>();
      for (let index = 1; index <= count; index++)
        for (const { organization } of pickShard(all, { index, count }))
          if (organization) {
            const name = organization.toLowerCase();
            holders.set(name, (holders.get(name) ?? new Set()).add(index));
          }
      expect([...holders.values()].filter(({ size }) => size > 1)).toEqual([]);
    }),
    cases({ fast: 100, soak: 100 }),
  );
});

test('shards differ by one organization at most, and do not depend on the order of the root files', () => {
  const all = Array.from({ length: 50 }, (_, at) => ({
    path: `o${at}/attune.yaml`,
    organization: `o${at}`,
  }));
  const sizes = Array.from({ length: 8 }, (_, at) => pickShard(all, { index: at + 1, count: 8 }).length);
  expect(sizes).toEqual([7, 7, 6, 6, 6, 6, 6, 6]);
  const third = { index: 3, count: 8 };
  expect([...pickShard([...all].reverse(), third)].reverse()).toEqual(pickShard(all, third));
});

test('the shard of a path never changes between versions and systems', async () => {
  const folder = await folderWith({
    'emea/attune.yaml': root('acme-emea'),
    'apac/attune.yaml': root('acme-apac'),
    'us/attune.yaml': root('acme-us'),
    'us/team/attune.yaml': root('acme-us'),
    'us/json.yaml': '{"attune": 1, "organization": "acme-json"}',
  });
  // printf apac/attune.yaml | sha256sum: 4ae77efb; us/json.yaml 697731af, emea 776e224f, us 844fa637
  const expected = [
    ['apac/attune.yaml', 'emea/attune.yaml'],
    ['us/attune.yaml', 'us/json.yaml', 'us/team/attune.yaml'],
  ];
  expect(await Promise.all([1, 2].map((index) => shardIn(folder, { index, count: 2 })))).toEqual(expected);
});

test('the shard of a file does not depend on the folder of the checkout, or on how the file is named', async () => {
  const files = { 'a/attune.yaml': root('a'), 'b/attune.yaml': root('b'), 'c/attune.yaml': root('c') };
  const [one, other] = [await folderWith(files), await folderWith(files)];
  const absolute = ['a', 'b', 'c'].map((name) => resolve(one, name));
  const shard = { index: 2, count: 3 };
  const named = await loadConfig(absolute, { cwd: '/', shard });
  const relative = await loadConfig(['a', 'b/attune.yaml', 'c'], { cwd: other, shard });
  expect(named.configurations.map(({ file }) => file.slice(one.length))).toEqual(
    relative.configurations.map(({ file }) => file.slice(other.length)),
  );
});

test.each(rowsIn<[string, string]>`
- [a comment at its start, "# acme\n\nattune: 1\norganization: acme # the main one\n"]
- [quotes, "attune: 1\norganization: 'acme'\n"]
- [a document marker, "---\nattune: 1\norganization: acme\n"]
- [flow style, "{attune: 1,\norganization: acme}\n"]
- [an anchor, "attune: 1\norganization: &name acme\n"]
- [Windows line ends, "attune: 1\r\norganization: acme\r\n"]
- [a description that looks like it, "attune: 1\norganization: acme\nworkspaces:\n  a:\n    description: |\n      organization: other\n"]
`)('the organization of a root file is read from a file with %s', async (_, text) => {
  const folder = await folderWith({ 'a.yaml': text, 'b.yaml': root('Acme') });
  const shards = await Promise.all([1, 2].map((index) => shardIn(folder, { index, count: 2 })));
  expect(shards.map(({ length }) => length).sort()).toEqual([0, 2]);
});

test('one shard reports the errors of a root file that cannot be read', async () => {
  const folder = await folderWith({ 'a.yaml': 'attune: [', 'b.yaml': root('acme') });
  const shards = [1, 2, 3].map((index) =>
    loadConfig(['a.yaml', 'b.yaml', 'missing.yaml'], { cwd: folder, shard: { index, count: 3 } }),
  );
  const codes = (await Promise.all(shards)).flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code));
  expect([...new Set(codes)].sort()).toEqual(['file-not-found', 'yaml-syntax']);
});

function root(organization: string): string {
  return `attune: 1\norganization: ${organization}\nworkspaces: {}\n`;
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1;
}

/** All root files of the folder that a shard loads. */
async function shardIn(folder: string, shard: { index: number; count: number }): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.yaml')).sort();
  const { roots } = await loadConfig(files, { cwd: folder, shard });
  return roots.map(({ file }) => file.slice(join(folder, '/').length));
}
