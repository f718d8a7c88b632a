import { copyFile, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, type Ran, serviceWith } from '../support/attune.ts';

/** Root files of one folder for an organization with one name on two services. */
interface Roots {
  readonly folder: string;
  go(...argv: string[]): Promise<Ran>;
  /** Waits for another second by the clock of the run. */
  later(): void;
  journals(): Promise<string[]>;
}

async function rootsOf(files: Readonly<Record<string, string>>): Promise<Roots> {
  const folder = await folderWith(files);
  let time = Date.parse('2026-03-01T00:00:00Z');
  return {
    folder,
    go: (...argv) =>
      attune(argv, { cwd: folder, env: { ATTUNE_TOKEN: 'test-token' }, date: () => new Date(time) }),
    later: () => {
      time += 1000;
    },
    journals: () => readdir(join(folder, '.attune/journal')),
  };
}

const names = ['east', 'west'] as const;

const root = (service: string, words: string) => `attune: 1
organization: acme
service: ${service}
workspaces:
  one: {description: ${words}}
  two: {description: ${words}}
`;

/** Two data files of the embedded service. */
const embeddedRoots = () =>
  rootsOf(
    Object.fromEntries(
      names.map((name) => [
        `${name}.yaml`,
        root(`{address: embedded, data: .attune/${name}.json}`, 'before'),
      ]),
    ),
  );

/** Two services with addresses. */
async function servedRoots(): Promise<Roots> {
  const files: Record<string, string> = {};
  for (const name of names) {
    const service = await serviceWith({ seed: { organization: 'acme', workspaces: { other: {} } } });
    files[`${name}.yaml`] = root(`{address: ${JSON.stringify(service.url)}}`, 'before');
  }
  return await rootsOf(files);
}

/** The last lines of the plans of both root files. */
async function planned({ go }: Roots): Promise<string[]> {
  const lines = names.map(
    async (name) => (await go('plan', `${name}.yaml`)).stdout.match(/^Plan: .*$/m)?.[0],
  );
  return (await Promise.all(lines)).map((line) => line ?? '');
}

const all = 'Plan: 2 to create, 0 to update, 0 to delete, 0 unchanged. 2 calls.';

test.each([
  ['data files of the embedded service', embeddedRoots],
  ['addresses', servedRoots],
])('an organization of one name at two %s keeps the last 20 journals of each', async (_what, prepare) => {
  const roots = await prepare();
  await roots.go('apply', 'east.yaml', 'west.yaml', '--yes');
  const [east = '', west = ''] = (await roots.journals()).map((name) =>
    join(roots.folder, '.attune/journal', name),
  );
  const older = (year: number, day = 1) =>
    join(roots.folder, `.attune/journal/${year}-01-${String(day).padStart(2, '0')}T00-00-00Z-acme.jsonl`);
  await rename(east, older(2019));
  for (let day = 1; day <= 22; day += 1) await copyFile(west, older(2020, day));
  roots.later();
  await roots.go('undo', '--last', 'west.yaml', '--yes');
  expect((await roots.journals()).filter((name) => !name.startsWith('2019'))).toHaveLength(20);
  expect((await roots.go('undo', '--last', 'east.yaml', '--yes')).code).toBe(0);
  expect(await planned(roots)).toEqual([all, all]);
});
