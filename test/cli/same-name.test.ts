import { copyFile, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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
  one: {description: ${words}, tags: [a], remote-state-consumers: [two]}
  two: {description: ${words}, tags: [b], remote-state-consumers: [one]}
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

const all = 'Plan: 2 to create, 0 to update, 0 to delete, 0 unchanged. 6 calls. 2 need attention.';
const none = 'Plan: 0 to create, 0 to update, 0 to delete, 2 unchanged. 0 calls.';

describe.each([
  ['data files of the embedded service', embeddedRoots],
  ['addresses', servedRoots],
])('an organization of one name at two %s', (_what, prepare) => {
  test('apply writes a journal for each, and undo --last reverts one or both', async () => {
    const roots = await prepare();
    const applied = await roots.go('apply', 'east.yaml', 'west.yaml', '--yes');
    expect([applied.code, applied.stderr]).toEqual([
      0,
      'Undo with: attune undo --last east.yaml west.yaml\n',
    ]);
    expect(await roots.journals()).toEqual([
      '2026-03-01T00-00-00Z-acme.jsonl',
      '2026-03-01T00-00-00Z.2-acme.jsonl',
    ]);

    roots.later();
    const east = await roots.go('undo', '--last', 'east.yaml', '--yes');
    expect([east.code, east.stderr]).toEqual([
      0,
      'Undoing .attune/journal/2026-03-01T00-00-00Z-acme.jsonl\nUndo with: attune undo --last east.yaml\n',
    ]);
    expect(await planned(roots)).toEqual([all, none]);

    // The newest journal of the name is that of the undo.
    roots.later();
    expect((await roots.go('undo', '--last', 'west.yaml', '--yes')).code).toBe(0);
    expect(await planned(roots)).toEqual([all, all]);

    roots.later();
    expect((await roots.go('apply', 'west.yaml', 'east.yaml', '--yes')).code).toBe(0);
    expect(await planned(roots)).toEqual([none, none]);
    roots.later();
    expect((await roots.go('undo', '--last', 'east.yaml', 'west.yaml', '--yes')).code).toBe(0);
    expect(await planned(roots)).toEqual([all, all]);
  });

  test('undo reverts each run of a journal of --journal on its own service', async () => {
    const roots = await prepare();
    await roots.go('apply', 'east.yaml', 'west.yaml', '--yes', '--journal', 'run.jsonl');
    for (const name of names) {
      const refused = await roots.go('undo', 'run.jsonl', `${name}.yaml`, '--yes');
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining('error[other-plan]: acme: '),
      ]);
    }
    expect(await planned(roots)).toEqual([none, none]);
    const { code } = await roots.go('undo', 'run.jsonl', 'west.yaml', 'east.yaml', '--yes');
    expect([code, await planned(roots)]).toEqual([0, [all, all]]);
  });

  test('undo --list prints a command for each journal that undoes it', async () => {
    const roots = await prepare();
    await roots.go('apply', 'east.yaml', 'west.yaml', '--yes');
    const { stdout } = await roots.go('undo', '--list');
    const commands = stdout.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));
    expect(commands.toSorted()).toEqual([
      'attune undo .attune/journal/2026-03-01T00-00-00Z-acme.jsonl east.yaml',
      'attune undo .attune/journal/2026-03-01T00-00-00Z.2-acme.jsonl west.yaml',
    ]);
    for (const name of names)
      expect((await roots.go('undo', '--list', `${name}.yaml`)).stdout.match(/attune undo .*/g)).toEqual([
        commands.find((command) => command.endsWith(` ${name}.yaml`)),
      ]);
    const [first = ''] = commands;
    expect((await roots.go(...first.split(' ').slice(1), '--yes')).code).toBe(0);
    expect(await planned(roots)).toEqual([none, all]);
  });

  test('each of them keeps its last 20 journals', async () => {
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
});

test.each([
  ['data files of the embedded service', embeddedRoots],
  ['addresses', servedRoots],
])(
  'a saved plan for two %s is applied to the right one in any order of the root files',
  async (_, prepare) => {
    const roots = await prepare();
    await roots.go('apply', 'east.yaml', 'west.yaml', '--yes', '--no-journal');
    const west = join(roots.folder, 'west.yaml');
    await writeFile(west, (await readFile(west, 'utf8')).replaceAll('before', 'after'));
    await roots.go('plan', 'east.yaml', 'west.yaml', '--out', 'plan.json');
    const { code, stderr } = await roots.go(
      'apply',
      '--plan',
      'plan.json',
      'west.yaml',
      'east.yaml',
      '--yes',
    );
    expect([code, stderr]).toEqual([0, 'Undo with: attune undo --last west.yaml\n']);
    expect(await planned(roots)).toEqual([none, none]);
  },
);

test('a saved plan of an undo is refused for the journal of the other service', async () => {
  const roots = await servedRoots();
  await roots.go('apply', 'east.yaml', '--yes', '--journal', 'east.jsonl');
  await roots.go('apply', 'west.yaml', '--yes', '--journal', 'west.jsonl');
  await roots.go('undo', 'east.jsonl', 'east.yaml', '--out', 'plan.json');
  const { code, stderr } = await roots.go('undo', 'west.jsonl', 'west.yaml', '--plan', 'plan.json', '--yes');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/error\[other-plan\]: the plan is for http:\S+, and the journal is for http:\S+\n/),
  ]);
});

describe('a journal that does not show the data of the embedded service', () => {
  /** As an older version wrote it. */
  async function withoutData({ folder }: Roots, name: string): Promise<void> {
    const path = join(folder, name);
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/,"data":"\.attune\/east\.json",/);
    await writeFile(path, text.replaceAll(/,"data":"[^"]+"/g, ''));
  }

  test.each<[string, (roots: Roots) => Promise<string>]>([
    [
      'is of an older version',
      async (roots) => {
        await withoutData(roots, 'run.jsonl');
        return 'run.jsonl';
      },
    ],
    [
      'was moved',
      async ({ folder }) => {
        await mkdir(join(folder, 'other'));
        await rename(join(folder, 'run.jsonl'), join(folder, 'other/run.jsonl'));
        return 'other/run.jsonl';
      },
    ],
  ])('because it %s is undone with the one root file that is named', async (_why, change) => {
    const roots = await embeddedRoots();
    await roots.go('apply', 'east.yaml', '--yes', '--journal', 'run.jsonl');
    await roots.go('apply', 'west.yaml', '--yes', '--no-journal');
    const journal = await change(roots);
    const refused = await roots.go('undo', journal, 'east.yaml', 'west.yaml', '--yes');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `error[other-plan]: ${journal} is for the embedded service of acme, and the root files have several service.data
  hint: name only the root file that the run applied
No changes were made.
`,
    ]);
    expect((await roots.go('undo', journal, 'east.yaml', '--yes')).code).toBe(0);
    expect(await planned(roots)).toEqual([all, none]);
  });

  test('is taken by undo --last beside journals that show it', async () => {
    const roots = await embeddedRoots();
    await roots.go('apply', 'east.yaml', '--yes');
    const [name = ''] = await roots.journals();
    const path = join(roots.folder, '.attune/journal', name);
    await writeFile(path, (await readFile(path, 'utf8')).replace(',"data":"../east.json"', ''));
    roots.later();
    await roots.go('apply', 'west.yaml', '--yes');
    expect((await roots.go('undo', '--last', 'east.yaml', '--yes')).code).toBe(0);
    expect(await planned(roots)).toEqual([all, none]);
  });
});

test('undo through a symbolic link finds the data of the embedded service', async () => {
  const roots = await embeddedRoots();
  await roots.go('apply', 'east.yaml', '--yes', '--journal', 'run.jsonl');
  const other = await folderWith({});
  await symlink(roots.folder, join(other, 'link'));
  const { code, stderr } = await roots.go('undo', join(other, 'link/run.jsonl'), 'east.yaml', '--yes');
  expect([code, stderr]).toEqual([0, 'Undo with: attune undo --last east.yaml\n']);
});
