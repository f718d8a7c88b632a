import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPacker } from '../../src/desired/files/packer.ts';
import { loadConfig } from '../../src/desired/load-config.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const large = (name: string) => `name: ${name} # ${'x'.repeat(300 * 1024)}\n`;
const small = (name: string) => `name: ${name}\n`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attune-packer-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A packer over these files, whose worker runs the code. */
async function packerOf(code: string, textOf: (name: string) => string) {
  const module = join(await mkdtemp(join(folder, 'worker-')), 'worker.mjs');
  await writeFile(module, code);
  for (const name of names) await writeFile(join(folder, name), textOf(name));
  const reads: string[] = [];
  const packer = createPacker(
    (path) => {
      reads.push(path);
      const name = basename(path);
      return names.includes(name) ? textOf(name) : undefined;
    },
    () => pathToFileURL(module),
  );
  const packAll = async (text = textOf) => {
    const values: unknown[] = [];
    for (const name of names) {
      const packed = await packer.pack(join(folder, name), text(name));
      values.push(packed?.values);
    }
    return values;
  };
  return { packer, packAll, reads, paths: names.map((name) => join(folder, name)) };
}

/** Answers with the number of texts so far. */
const counting = `
  import { parentPort } from 'node:worker_threads';
  let count = 0;
  parentPort.on('message', () => parentPort.postMessage({ nodes: new Int32Array(3), keys: [], values: [++count] }));
`;
const itself = names.map((name) => [name]);

describe('the packer of YAML', () => {
  test('has large files that it expects packed by its worker, in their order', async () => {
    const { packer, packAll, paths } = await packerOf(counting, large);
    packer.expect(paths);
    expect(await packAll()).toEqual([[1], [2], [3], [4], [5]]);
    packer.close();
  });

  test('has files packed that it expects later, when it has a worker', async () => {
    const { packer, packAll, paths } = await packerOf(counting, large);
    packer.expect(paths.slice(0, 4));
    packer.expect(paths.slice(4));
    expect(await packAll()).toEqual([[1], [2], [3], [5], [4]]);
    packer.close();
  });

  test('reads at most three files ahead', async () => {
    const { packer, reads, paths } = await packerOf(counting, large);
    packer.expect(paths);
    expect(reads).toEqual(paths.slice(0, 3));
    packer.close();
  });

  test('packs small files itself', async () => {
    const { packer, packAll, paths, reads } = await packerOf(counting, small);
    packer.expect(paths);
    expect(await packAll()).toEqual(itself);
    expect(reads).toEqual([]);
  });

  test('packs a file itself that has changed since it was read ahead', async () => {
    const { packer, packAll, paths } = await packerOf(counting, large);
    packer.expect(paths);
    const changed = (name: string) => (name === 'b' ? small('changed') : large(name));
    expect(await packAll(changed)).toEqual([[1], ['changed'], [3], [4], [5]]);
    packer.close();
  });

  test.each([
    ['cannot start', 'syntax error'],
    ['throws', `throw new Error('failed')`],
    ['ends', 'process.exit(0)'],
    [
      'throws at a text',
      `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { throw new Error('failed'); });`,
    ],
  ])('packs the files itself when its worker %s', async (_, code) => {
    const { packer, packAll, paths } = await packerOf(code, large);
    packer.expect(paths);
    expect(await packAll()).toEqual(itself);
    packer.close();
  });

  test('packs the files itself where there is no worker', async () => {
    const { paths } = await packerOf(counting, large);
    const packer = createPacker(large, () => undefined);
    packer.expect(paths);
    expect((await packer.pack(join(folder, 'a'), large('a')))?.values).toEqual(['a']);
  });

  test('can be closed while files are packed', async () => {
    const { packer, packAll, paths } = await packerOf(counting, large);
    packer.expect(paths);
    packer.close();
    expect(await packAll()).toEqual(itself);
  });

  test('leaves out files that cannot be read', async () => {
    const { packer, packAll, paths } = await packerOf(counting, large);
    packer.expect([...names.map((name) => join(folder, `missing-${name}`)), ...paths]);
    expect(await packAll()).toEqual([[1], [2], [3], [4], [5]]);
    packer.close();
  });
});

test('many large root files and the files that they include are loaded as each of them is alone', async () => {
  const description = 'x'.repeat(1000);
  const declared = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `  ${prefix}-${index}: {description: "${description}"}\n`);
  const roots: string[] = [];
  for (const name of names) {
    const root = join(folder, `acme-${name}`);
    await mkdir(root);
    const text = (prefix: string, count: number) => `workspaces:\n${declared(prefix, count).join('')}`;
    await writeFile(join(root, 'more.yaml'), text('more', 10));
    await writeFile(
      join(root, 'attune.yaml'),
      `attune: 1\norganization: acme-${name}\ninclude: [more.yaml]\n${text('service', 300)}`,
    );
    roots.push(root);
  }
  const together = await loadConfig(roots);
  expect(together.diagnostics).toEqual([]);
  for (const [index, root] of roots.entries()) {
    const [alone] = (await loadConfig(root)).configurations;
    expect(together.configurations[index]?.desired).toEqual(alone?.desired);
  }
});
