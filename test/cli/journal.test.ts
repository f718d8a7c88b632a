import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith, serviceWith, type World, worldWith } from '../support/attune.ts';
import { expectMode } from '../support/expect-mode.ts';

const yaml = (description: string) =>
  `attune: 1\norganization: acme\nworkspaces: {network: {description: ${description}}}\n`;
const seed = { organization: 'acme', workspaces: { network: { description: 'before' } } };

const journalName = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(\.\d+)?-acme\.jsonl$/;

const masked = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(\.\d+)?/g, '<time>');

function journalsOf({ folder }: Pick<World, 'folder'>): Promise<string[]> {
  return readdir(join(folder, '.attune', 'journal')).catch(() => []);
}

async function description({ attune }: World): Promise<string | undefined> {
  const { stdout } = await attune(
    'workspace',
    'show',
    'network',
    '--organization',
    'acme',
    '--format',
    'json',
  );
  return /"description": "(.*)"/.exec(stdout)?.[1];
}

describe('the journal that apply writes by default', () => {
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

  test('apply writes no journal if there is nothing to apply, and its last line does not name undo', async () => {
    const world = await worldWith(yaml('before'), { seed });
    const { code, stderr } = await world.attune('apply', '--yes');
    expect([code, stderr]).toEqual([0, '']);
    expect(await readdir(world.folder)).toEqual(['attune.yaml']);
  });

  test('apply leaves neither a journal nor a folder for it if no call was sent', async () => {
    const world = await worldWith(
      {
        'attune.yaml': yaml('after'),
        'emea.yaml': 'attune: 1\norganization: emea\nworkspaces: {fresh: {}}\n',
      },
      { seed: { organizations: { acme: { workspaces: seed.workspaces }, emea: {} } } },
      { interrupts: { stop: AbortSignal.abort(), exitCode: () => 130, release: () => {} } },
    );
    const { code, stderr } = await world.attune('apply', 'attune.yaml', 'emea.yaml', '--yes');
    expect([code, stderr]).toEqual([130, expect.not.stringContaining('Undo with')]);
    expect([world.writes(), await readdir(world.folder)]).toEqual([[], ['attune.yaml', 'emea.yaml']]);

    await mkdir(join(world.folder, '.attune', 'journal'), { recursive: true });
    await world.attune('apply', '--yes');
    expect([await readdir(join(world.folder, '.attune')), await journalsOf(world)]).toEqual([
      ['journal'],
      [],
    ]);
  });

  test('apply keeps a journal without a line about undo if the service refused every call', async () => {
    const world = await worldWith(yaml('after'), { seed });
    world.service.setFaults([{ kind: 'status', status: 422, method: 'PATCH' }]);
    const { code, stderr } = await world.attune('apply', '--yes');
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('Undo with')]);
    expect(await journalsOf(world)).toHaveLength(1);
  });

  test('the default journal gets a new name in each run, also within one second', async () => {
    const world = await worldWith(yaml('one'), { seed });
    for (const text of ['one', 'two', 'three']) {
      await writeFile(join(world.folder, 'attune.yaml'), yaml(text));
      expect((await world.attune('apply', '--yes')).code).toBe(0);
    }
    expect(await journalsOf(world)).toEqual(Array(3).fill(expect.stringMatching(journalName)));
    await world.attune('undo', '--last', '--yes');
    expect(await description(world)).toBe('two');
  });

  test('apply writes one journal per organization, and undo --last takes those of all named root files', async () => {
    const workspaces = { network: {} };
    const root = (name: string) => `attune: 1\norganization: ${name}\nworkspaces: {fresh: {}}\n`;
    const world = await worldWith(
      { 'emea/attune.yaml': root('emea'), 'apac/attune.yaml': root('apac') },
      { seed: { organizations: { emea: { workspaces }, apac: { workspaces } } } },
    );
    const { code, stderr } = await world.attune('apply', 'emea', 'apac', '--yes');
    expect([code, stderr]).toEqual([0, 'Undo with: attune undo --last emea apac\n']);
    const undone = await world.attune('undo', '--last', 'emea', 'apac', '--yes');
    expect([undone.code, masked(undone.stderr)]).toEqual([
      0,
      'Undoing emea/.attune/journal/<time>-emea.jsonl, apac/.attune/journal/<time>-apac.jsonl\nUndo with: attune undo --last emea apac\n',
    ]);
    expect(world.writes().toSorted()).toEqual([
      expect.stringMatching(/^POST \/workspaces\/ws-\w+\/actions\/safe-delete$/),
      expect.stringMatching(/^POST \/workspaces\/ws-\w+\/actions\/safe-delete$/),
    ]);
  });

  test('root files of one organization in one folder share a journal', async () => {
    const root = (name: string) => `attune: 1\norganization: acme\nworkspaces: {${name}: {}}\n`;
    const world = await worldWith({ 'a.yaml': root('a'), 'b.yaml': root('b') }, { seed });
    await world.attune('apply', 'a.yaml', 'b.yaml', '--yes');
    expect(await journalsOf(world)).toHaveLength(1);
    const { stdout } = await world.attune('undo', '--last', 'b.yaml', '--yes');
    expect(stdout).toContain('- workspace.a');
    expect(stdout).toContain('- workspace.b');
  });
});

describe('the journal folder', () => {
  const old = (day: number) => `2020-01-${String(day).padStart(2, '0')}T00-00-00Z-acme.jsonl`;
  const recordOf = (address: string, organization = 'acme') =>
    `{"record":"run","format":"attune.journal/1","organization":"${organization}","address":"${address}"}\n`;
  const placeJournals = async ({ folder }: World, files: Readonly<Record<string, string>>) => {
    await mkdir(join(folder, '.attune/journal'), { recursive: true });
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, '.attune/journal', name), text);
  };

  test('the journal folder keeps the last 20 journals, and every file that is not a journal', async () => {
    const journals = Array.from({ length: 25 }, (_, index) => old(index + 1));
    const others = { 'notes.txt': 'mine', '2019-01-01T00-00-00Z-acme.jsonl': 'mine, too\n' };
    const world = await worldWith(yaml('after'), { seed });
    const record = recordOf(world.service.url);
    await placeJournals(world, { ...others, ...Object.fromEntries(journals.map((name) => [name, record])) });
    await mkdir(join(world.folder, '.attune/journal', '2018-01-01T00-00-00Z-acme.jsonl'));

    await world.attune('apply', '--yes');
    const left = await journalsOf(world);
    expect(left.filter((name) => !name.startsWith('2020')).map(masked)).toEqual([
      '<time>-acme.jsonl',
      '<time>-acme.jsonl',
      '<time>-acme.jsonl',
      'notes.txt',
    ]);
    expect(left.filter((name) => name.startsWith('2020'))).toEqual(journals.slice(-19));
  });

  test('the journal folder keeps 20 journals of each organization, also of those that file names spell alike', async () => {
    const world = await worldWith(yaml('after').replace('acme', 'acme.eu'), {
      seed: { ...seed, organization: 'acme.eu' },
    });
    const journals = (organization: string) =>
      Object.fromEntries(
        Array.from({ length: 21 }, (_, index) => {
          const name = old(index + 1).replace('acme', 'acme_eu');
          const suffix = organization === 'acme_eu' ? '' : '.2';
          return [name.replace('Z-', `Z${suffix}-`), recordOf(world.service.url, organization)];
        }),
      );
    await placeJournals(world, { ...journals('acme_eu'), ...journals('acme.eu') });
    expect((await world.attune('apply', '--yes')).code).toBe(0);
    const left = (await journalsOf(world)).filter((name) => name.startsWith('2020'));
    expect(left.filter((name) => !name.includes('Z.2-'))).toHaveLength(21);
    expect(left.filter((name) => name.includes('Z.2-'))).toEqual(Object.keys(journals('acme.eu')).slice(2));
  });

  test('a run over more than 20 organizations in one folder keeps all of its journals', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `org-${index}`);
    const root = (name: string) => `attune: 1\norganization: ${name}\nworkspaces: {fresh: {}}\n`;
    const world = await worldWith(Object.fromEntries(names.map((name) => [`${name}.yaml`, root(name)])), {
      seed: {
        organizations: Object.fromEntries(names.map((name) => [name, { workspaces: { network: {} } }])),
      },
    });
    const files = names.map((name) => `${name}.yaml`);
    const { code, stderr } = await world.attune('apply', ...files, '--yes');
    expect([code, stderr]).toEqual([0, `Undo with: attune undo --last ${files.join(' ')}\n`]);
    expect(await journalsOf(world)).toHaveLength(25);
    expect((await world.attune('undo', '--last', ...files, '--yes')).code).toBe(0);
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

  test('undo --last takes the newest journal by the time in it, whatever its name', async () => {
    const world = await worldWith(yaml('after'), { seed });
    await world.attune('apply', '--yes');
    const folder = join(world.folder, '.attune/journal');
    const [first = ''] = await journalsOf(world);
    await rename(join(folder, first), join(folder, old(1).replace('2020', '2099')));
    await writeFile(join(world.folder, 'attune.yaml'), yaml('later'));
    await world.attune('apply', '--yes');
    await world.attune('undo', '--last', '--yes', '--no-journal');
    expect(await description(world)).toBe('after');
    const listed = JSON.parse((await world.attune('undo', '--list', '--format', 'json')).stdout);
    expect(listed.journals.map(({ file }: { file: string }) => file.includes('2099'))).toEqual([false, true]);
  });

  test('the journal folder keeps the last 20 journals, also beside others with names from the future', async () => {
    const world = await worldWith(yaml('after'), { seed });
    const record = recordOf(world.service.url).replace('}\n', ',"at":"2020-01-01T00:00:00.000Z"}\n');
    const future = Array.from({ length: 22 }, (_, index) => old(index + 1).replace('2020', '2099'));
    await placeJournals(world, Object.fromEntries(future.map((name) => [name, record])));
    await world.attune('apply', '--yes');
    await writeFile(join(world.folder, 'attune.yaml'), yaml('later'));
    await world.attune('apply', '--yes');
    const left = await journalsOf(world);
    expect(left).toHaveLength(20);
    expect(left.filter((name) => !name.startsWith('2099'))).toHaveLength(2);
  });

  test('a journal with a damaged first record is an error of that file, and an apply beside it goes on', async () => {
    const world = await worldWith(yaml('after'), { seed });
    const damaged = recordOf(world.service.url).replace('"acme"', '"ac\\xme"');
    await placeJournals(world, { [old(1)]: damaged });
    const refused = await world.attune('undo', '--last', '--yes');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        `error[bad-journal]: .attune/journal/${old(1)}:1 is not a journal of this version`,
      ),
    ]);
    const listed = await world.attune('undo', '--list');
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringContaining(`${old(1)}:1 is not a journal`),
    ]);
    const applied = await world.attune('apply', '--yes');
    expect(applied.code, applied.stderr).toBe(0);
    expect((await world.attune('undo', '--last', '--yes')).code).toBe(0);
    expect(await description(world)).toBe('before');
  });

  test('undo --last takes no journal of an organization whose name is spelled alike in file names', async () => {
    const of = (organization: string, day: number) => [
      `.attune/journal/${old(day).replace('acme', 'acme_eu')}`,
      recordOf('embedded', organization),
    ];
    const world = await worldWith(
      Object.fromEntries([
        ['attune.yaml', yaml('after').replace('acme', 'acme.eu')],
        ['other.yaml', yaml('after').replace('acme', 'acme_eu')],
        of('acme.eu', 1),
        of('acme_eu', 2),
      ]),
      { seed },
    );
    const { stderr } = await world.attune('undo', '--last');
    expect(stderr).toContain('2020-01-01T00-00-00Z-acme_eu.jsonl');
    expect(stderr).not.toContain('2020-01-02T00-00-00Z');
    expect((await world.attune('undo', '--last', 'other.yaml')).stderr).toContain('2020-01-02T00-00-00Z');
    await rm(join(world.folder, 'attune.yaml'));
    expect((await world.attune('undo', '--last')).stderr).toContain('has journals of 2 organizations');
  });

  test.each<[string, (folder: string) => Promise<unknown>, string]>([
    ['is a file', (folder) => writeFile(join(folder, '.attune'), ''), '.attune is not a folder'],
    [
      'is a link that leads out of the working folder',
      async (folder) => symlink(await folderWith({}), join(folder, '.attune')),
      'a link leads to <elsewhere>, outside the working folder',
    ],
  ])('apply stops before the question if the journal folder %s', async (_what, place, why) => {
    const world = await worldWith(yaml('after'), { seed }, { answer: 'never asked' });
    await place(world.folder);
    const { code, stderr } = await world.attune('apply');
    const [first = '', ...rest] = stderr.split('\n  hint: ');
    expect(first.replace(/ to \S+, /, ' to <elsewhere>, ')).toBe(
      `error[journal-not-written]: cannot write the journal folder .attune/journal: ${why}`,
    );
    expect([code, ...rest]).toEqual([
      1,
      'make the folder writable, name another file with --journal FILE, or run without a journal: --no-journal\nNo changes were made.\n',
    ]);
    expect(world.writes()).toEqual([]);
    expect((await world.attune('apply', '--no-journal', '--yes')).code).toBe(0);
  });
});

describe('--journal and --no-journal', () => {
  test('--no-journal writes no journal, and apply does not name undo', async () => {
    const world = await worldWith(yaml('after'), { seed });
    expect((await world.attune('apply', '--yes', '--no-journal')).stderr).toBe('');
    expect(await readdir(world.folder)).toEqual(['attune.yaml']);
  });

  test('--journal FILE replaces the journal by default', async () => {
    const world = await worldWith(yaml('after'), { seed });
    expect((await world.attune('apply', '--yes', '--journal', 'my run.jsonl')).stderr).toBe(
      "Undo with: attune undo 'my run.jsonl'\n",
    );
    expect(await readdir(world.folder)).toEqual(['attune.yaml', 'my run.jsonl']);
  });

  test('the printed command for --journal FILE has the root files, whose settings the undo needs', async () => {
    const service = await serviceWith({ seed });
    const at = (text: string) => `${text}service: {address: ${JSON.stringify(service.url)}}\n`;
    const cwd = await folderWith({
      'one/attune.yaml': at(yaml('after')),
      'two/b.yaml': at('attune: 1\norganization: acme\nworkspaces: {new: {}}\n'),
      'two/same.yaml': at('attune: 1\norganization: acme\nworkspaces: {}\n'),
    });
    const go = (...argv: readonly string[]) => attune(argv, { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
    const roots = ['one', 'two/b.yaml', 'two/same.yaml'];
    const { stderr } = await go('apply', ...roots, '--yes', '--journal', '-run.jsonl');
    expect(stderr).toBe('Undo with: attune undo ./-run.jsonl one two/b.yaml two/same.yaml\n');
    const undone = await go('undo', './-run.jsonl', 'one', 'two/b.yaml', '--yes', '--no-journal');
    expect([undone.code, undone.stderr]).toEqual([0, '']);
  });

  test.each([['apply'], ['undo', 'run.jsonl']])(
    '%s with flags that contradict each other is an error',
    async (...command) => {
      const world = await worldWith(yaml('after'), { seed });
      const errors = async (...flags: readonly string[]) => {
        const { code, stderr } = await world.attune(...command, ...flags);
        return [code, stderr.split('No changes were made.')[0]];
      };
      expect(await errors('--journal', 'other.jsonl', '--no-journal')).toEqual([
        1,
        'error[usage]: --journal cannot be used with --no-journal\n  hint: remove one of them\n',
      ]);
      expect(await errors('--skip-frozen', '--override-freeze', 'INC-7')).toEqual([
        1,
        'error[usage]: --skip-frozen cannot be used with --override-freeze\n  hint: remove one of them\n',
      ]);
    },
  );

  test('a folder for the journal is an error that names it as one', async () => {
    const world = await worldWith(yaml('after'), { seed });
    expect((await world.attune('apply', '--yes', '--journal', '.')).stderr).toBe(
      'error[file-not-written]: --journal . cannot be written: it is a folder\n  hint: name a file in it\nNo changes were made.\n',
    );
  });

  test('a folder for the journal is an error that names it as one', async () => {
    const world = await worldWith(yaml('after'), { seed });
    expect((await world.attune('apply', '--yes', '--journal', '.')).stderr).toBe(
      'error[file-not-written]: --journal . cannot be written: it is a folder\n  hint: name a file in it\nNo changes were made.\n',
    );
  });
});

describe('attune undo', () => {
  test('undo --last undoes the last apply, and then its own undo', async () => {
    const world = await worldWith(yaml('after'), { seed });
    await world.attune('apply', '--yes');
    const undone = await world.attune('undo', '--last', '--yes');
    expect([undone.code, masked(undone.stderr)]).toEqual([
      0,
      'Undoing .attune/journal/<time>-acme.jsonl\nUndo with: attune undo --last\n',
    ]);
    expect(await description(world)).toBe('before');
    await world.attune('undo', '--last', '--yes');
    expect(await description(world)).toBe('after');
  });

  test('undo --last without a confirmation prints a command that names the journal', async () => {
    const world = await worldWith(yaml('after'), { seed });
    await world.attune('apply', '--yes');
    const { stderr } = await world.attune('undo', '--last');
    expect(masked(stderr)).toContain(
      `attune undo .attune/journal/<time>-acme.jsonl --address ${world.service.url} --yes`,
    );
    expect(world.writes()).toEqual([]);
  });

  test('undo without a journal prints the newest in its hint', async () => {
    const world = await worldWith(yaml('after'), { seed });
    const first = await world.attune('undo');
    expect([first.code, first.stderr]).toEqual([
      1,
      'error[usage]: attune undo needs a journal\n  hint: name the file that `attune apply --journal` wrote; there is no journal in .attune/journal\n',
    ]);
    await world.attune('apply', '--yes');
    const { code, stderr } = await world.attune('undo');
    expect([code, masked(stderr)]).toEqual([
      1,
      'error[usage]: attune undo needs a journal\n  hint: run `attune undo --last`, which is `attune undo .attune/journal/<time>-acme.jsonl` now, or name a journal\n',
    ]);
  });

  test('undo --last without a journal of the organization is an error', async () => {
    const world = await worldWith(yaml('after'), { seed });
    const { code, stderr } = await world.attune('undo', '--last');
    expect([code, stderr]).toEqual([
      1,
      'error[no-journal]: there is no journal of acme in .attune/journal\n  hint: name the file of a journal: attune undo FILE\n',
    ]);
  });

  test('undo --last without a root file is an error if there are journals of several organizations', async () => {
    const files = Object.fromEntries(
      ['acme', 'globex', 'acme'].map((name, index) => [
        `.attune/journal/2020-01-0${index + 1}T00-00-00Z-${name}.jsonl`,
        '',
      ]),
    );
    const world = await worldWith(files, { seed });
    const { code, stderr } = await world.attune('undo', '--last');
    expect([code, stderr]).toEqual([
      1,
      'error[usage]: --last is ambiguous: .attune/journal has journals of 2 organizations\n  hint: name a root file, or one of the journals: .attune/journal/2020-01-02T00-00-00Z-globex.jsonl, .attune/journal/2020-01-03T00-00-00Z-acme.jsonl\n',
    ]);
  });

  describe('that is not complete', () => {
    const two = (description: string) =>
      `attune: 1\norganization: acme\nworkspaces: {network: {description: ${description}}, fresh: {}}\n`;
    const refused = { kind: 'status', status: 422, method: 'PATCH', detail: 'No' } as const;
    const managing = {
      ...({
        kind: 'status',
        status: 409,
        method: 'POST',
        path: '/workspaces/*/actions/safe-delete',
      } as const),
      detail: 'It is managing resources',
    };

    test('undo --last that fails in part prints the command with the first journal, and undo --last continues it', async () => {
      const world = await worldWith(two('after'), { seed });
      await world.attune('apply', '--yes');
      const [first = ''] = await journalsOf(world);
      world.service.setFaults([refused]);
      const failed = await world.attune('undo', '--last', '--only', 'workspace.*', '--yes');
      expect(failed.code).toBe(1);
      expect(failed.stderr).toBe(
        `Undoing .attune/journal/${first}\nApply incomplete: 1 of 2 changes failed. Completed changes are kept; run \`attune undo .attune/journal/${first} --address ${world.service.url} --only 'workspace.*'\` to retry.\n`,
      );
      expect(await description(world)).toBe('after');

      world.service.setFaults([]);
      const named = await world.attune('undo');
      expect(named.stderr).toContain(`attune undo .attune/journal/${first}\` now`);
      const continued = await world.attune('undo', '--last', '--yes');
      expect([continued.code, masked(continued.stderr)]).toEqual([
        0,
        `Undoing .attune/journal/${masked(first)}\nUndo with: attune undo --last\n`,
      ]);
      expect(world.writes()).toEqual([expect.stringMatching(/^PATCH /)]);
      expect(await description(world)).toBe('before');
      // A complete undo can be reverted.
      await world.attune('undo', '--last', '--yes');
      expect(await description(world)).toBe('after');
    });

    test('undo --last --force after an undo that could not delete a workspace deletes it, and changes nothing else', async () => {
      const world = await worldWith(two('after'), { seed });
      await world.attune('apply', '--yes');
      world.service.setFaults([managing]);
      const failed = await world.attune('undo', '--last', '--yes');
      expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('run again with --force')]);
      world.service.setFaults([]);
      const forced = await world.attune('undo', '--last', '--force', '--yes');
      expect([forced.code, world.writes()]).toEqual([
        0,
        [expect.stringMatching(/^DELETE \/workspaces\/ws-/)],
      ]);
      expect(await description(world)).toBe('before');
    });

    test('undo --last continues an undo that was killed', async () => {
      const world = await worldWith(two('after'), { seed });
      await world.attune('apply', '--yes');
      const [first = ''] = await journalsOf(world);
      await world.attune('undo', '--last', '--yes');
      const [second = ''] = (await journalsOf(world)).filter((name) => name !== first);
      const path = join(world.folder, '.attune', 'journal', second);
      const [run] = (await readFile(path, 'utf8')).split('\n');
      await writeFile(path, `${run}\n`);
      const { stdout, stderr } = await world.attune('undo', '--last');
      expect(stderr).toBe(`Undoing .attune/journal/${first}\n`);
      expect(stdout).toContain('\nNothing to undo: ');
      expect(stdout).not.toContain('matches the configuration');
    });

    test('undo --last of several root files continues an undo that is complete for some of them', async () => {
      const root = (name: string) => `attune: 1\norganization: ${name}\nworkspaces: {fresh: {}}\n`;
      const workspaces = { network: {} };
      const world = await worldWith(
        { 'emea/attune.yaml': root('emea'), 'apac/attune.yaml': root('apac') },
        { seed: { organizations: { emea: { workspaces }, apac: { workspaces } } } },
      );
      await world.attune('apply', 'emea', 'apac', '--yes');
      world.service.setFaults([{ ...managing, times: 1 }]);
      const failed = await world.attune('undo', '--last', 'emea', 'apac', '--yes');
      const command =
        /run `attune undo (emea|apac)\/\.attune\/journal\/<time>-\1\.jsonl emea apac --address \S+` to retry/;
      expect([failed.code, masked(failed.stderr)]).toEqual([1, expect.stringMatching(command)]);
      world.service.setFaults([]);
      const continued = await world.attune('undo', '--last', 'emea', 'apac', '--yes');
      expect([continued.code, world.writes()]).toEqual([
        0,
        [expect.stringContaining('/actions/safe-delete')],
      ]);
    });

    test('undo --last fails if the journal that an incomplete undo is for was removed', async () => {
      const world = await worldWith(two('after'), { seed });
      await world.attune('apply', '--yes');
      const [first = ''] = await journalsOf(world);
      world.service.setFaults([refused]);
      await world.attune('undo', '--last', '--yes');
      await rm(join(world.folder, '.attune', 'journal', first));
      const { code, stderr } = await world.attune('undo', '--last');
      expect([code, stderr]).toEqual([
        1,
        `Undoing .attune/journal/${first}\nerror[bad-journal]: .attune/journal/${first} does not exist\n  hint: give a file that \`attune apply --journal\` wrote\n`,
      ]);
    });
  });

  test('undo --last with a journal instead of a root file is an error', async () => {
    const world = await worldWith(yaml('after'), { seed });
    await world.attune('apply', '--yes', '--journal', 'run.jsonl');
    expect(await readFile(join(world.folder, 'run.jsonl'), 'utf8')).toContain('"call"');
    const { code, stderr } = await world.attune('undo', '--last', 'run.jsonl');
    expect([code, stderr]).toEqual([
      1,
      'error[usage]: --last cannot be used with the journal run.jsonl\n  hint: run `attune undo run.jsonl` to undo this journal\n',
    ]);
  });
});
