import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type World, worldWith } from '../support/attune.ts';
import { expectMode } from '../support/expect-mode.ts';

const yaml = (description: string) =>
  `attune: 1\norganization: acme\nworkspaces: {network: {description: ${description}}}\n`;
const seed = { organization: 'acme', workspaces: { network: { description: 'before' } } };

const journalName = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(\.\d+)?-acme\.jsonl$/;

function journalsOf({ folder }: Pick<World, 'folder'>): Promise<string[]> {
  return readdir(join(folder, '.attune', 'journal')).catch(() => []);
}

const old = (day: number) => `2020-01-${String(day).padStart(2, '0')}T00-00-00Z-acme.jsonl`;
const recordOf = (address: string) =>
  `{"record":"run","format":"attune.journal/1","organization":"acme","address":"${address}"}\n`;
const placeJournals = async ({ folder }: World, files: Readonly<Record<string, string>>) => {
  await mkdir(join(folder, '.attune/journal'), { recursive: true });
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, '.attune/journal', name), text);
};

test('the default journal is in .attune/journal beside the root file, readable by its owner only', async () => {
  const world = await worldWith({ 'envs/attune.yaml': yaml('after') }, { seed });
  const { code, stderr } = await world.attune('apply', 'envs', '--yes');
  expect([code, stderr]).toEqual([0, 'Undo with: attune undo --last envs\n']);

  const folder = join(world.folder, 'envs', '.attune', 'journal');
  const [name = '', ...others] = await readdir(folder);
  expect([name, others]).toEqual([expect.stringMatching(journalName), []]);
  for (const one of [folder, dirname(folder)]) await expectMode(one, 0o700);
  await expectMode(join(folder, name), 0o600);
});

test('the journal folder keeps the last 20 journals of each organization of a service, and every file that is not a journal', async () => {
  const journals = Array.from({ length: 25 }, (_, index) => old(index + 1));
  const others = {
    'notes.txt': 'mine',
    '2019-01-01T00-00-00Z-acme.jsonl': 'mine, too\n',
    '2019-01-02T00-00-00Z-globex.jsonl': '',
    '2019-01-03T00-00-00Z-acme.jsonl': recordOf('http://other.example.com'),
    '2019-01-04T00-00-00Z-acme.jsonl': recordOf('embedded'),
  };
  const world = await worldWith(yaml('after'), { seed });
  const record = recordOf(world.service.url);
  await placeJournals(world, { ...others, ...Object.fromEntries(journals.map((name) => [name, record])) });
  await mkdir(join(world.folder, '.attune/journal', '2018-01-01T00-00-00Z-acme.jsonl'));

  await world.attune('apply', '--yes');
  const left = await journalsOf(world);
  expect(left.filter((name) => !name.startsWith('2020'))).toEqual([
    '2018-01-01T00-00-00Z-acme.jsonl',
    ...Object.keys(others).filter((name) => name !== 'notes.txt'),
    expect.stringMatching(journalName),
    'notes.txt',
  ]);
  expect(left.filter((name) => name.startsWith('2020'))).toEqual(journals.slice(-19));
});

test('an undo keeps its own journal and the one that it undoes, also if 20 journals have later times', async () => {
  const world = await worldWith(yaml('after'), { seed });
  await world.attune('apply', '--yes');
  const [first = ''] = await journalsOf(world);
  for (let day = 1; day <= 22; day += 1)
    await placeJournals(world, { [old(day).replace('2020', '2099')]: recordOf(world.service.url) });
  expect((await world.attune('undo', `.attune/journal/${first}`, '--yes')).code).toBe(0);
  const left = await journalsOf(world);
  expect(left.filter((name) => !name.startsWith('2099'))).toEqual([
    first,
    expect.stringMatching(journalName),
  ]);
  expect(left.filter((name) => name.startsWith('2099'))).toHaveLength(19);
});
