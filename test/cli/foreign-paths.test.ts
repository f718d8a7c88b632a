import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith, worldWith } from '../support/attune.ts';

/** A file that only a program should write, with the place of everything that it declares. */
function claiming(place: string, body: string): string {
  return `attune: 1\norganization: acme\n${body}\nsynthesized: {places: {"": "${place}"}}\n`;
}

describe('a configuration under review', () => {
  test('plan writes no data through the links of a repository', async () => {
    const root = 'attune: 1\norganization: acme\nservice: {address: embedded}\n';
    const cwd = await folderWith({ 'home/.profile': 'ours', 'repository/attune.yaml': root });
    const data = join(cwd, 'repository', '.attune', 'embedded.json');
    await mkdir(join(cwd, 'repository', '.attune'));
    for (const target of ['../../home/.profile', '../../home/.bash_aliases']) {
      await symlink(target, data);
      const { code, stderr } = await attune(['plan', 'repository'], { cwd });
      const place = join(cwd, 'home', target.slice('../../home/'.length));
      expect([code, stderr]).toEqual([
        1,
        `error[path-outside]: cannot open the embedded service: a link leads from ${data} to ${place}\n  hint: remove the link, or set service.data to a path inside the folder of the root file\n`,
      ]);
      await rm(data);
    }
    expect(await readdir(join(cwd, 'home'))).toEqual(['.profile']);
    expect(await readFile(join(cwd, 'home', '.profile'), 'utf8')).toBe('ours');
  });

  test('apply writes no journal through a link out of the folder of the root file', async () => {
    const world = await worldWith(
      { 'repository/attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {a: {}}\n', 'home/x': '' },
      { organization: 'acme' },
    );
    await mkdir(join(world.folder, 'repository', '.attune'));
    await symlink('../../home', join(world.folder, 'repository', '.attune', 'journal'));
    const { code, stderr } = await world.attune('apply', 'repository', '--yes');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `error[journal-not-written]: cannot write the journal folder repository/.attune/journal: a link leads to ${join(world.folder, 'home')}, outside the folder of the root file`,
      ),
    ]);
    expect(world.writes()).toEqual([]);
    expect(await readdir(join(world.folder, 'home'))).toEqual(['x']);
  });

  test('a report quotes no line of a file outside the folder that a committed file claims as its program', async () => {
    const cwd = await folderWith({
      'home/id_rsa': 'BEGIN\nhunter2\n',
      'repository/attune.yaml': claiming('../home/id_rsa:2:1', 'workspaces: {a: {tags: 3}}'),
      'repository/inner.yaml': claiming('link:2:1', 'workspaces: {a: {tags: 3}}'),
    });
    await symlink('../home/id_rsa', join(cwd, 'repository', 'link'));
    for (const root of ['repository', 'repository/inner.yaml']) {
      const { code, stdout, stderr } = await attune(['validate', root], { cwd });
      expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(':2:1: error[wrong-type]')]);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });

  test('a report quotes the program inside the folder', async () => {
    const cwd = await folderWith({
      'main.ts': 'one\nnew Workspace\n',
      'attune.yaml': claiming('main.ts:2:1', 'workspaces: {a: {tags: 3}}'),
    });
    const { stdout } = await attune(['validate'], { cwd });
    expect(stdout).toContain('  2 | new Workspace\n');
  });

  const evil = { project: 'P', description: '$(evil)' };
  const seed = { projects: { P: 'prj-p' }, workspaces: { a: evil, b: evil } };

  test('accept edits no file that is not of the configuration', async () => {
    const world = await worldWith(
      {
        'home/.profile': 'workspaces: {}\n',
        'repository/attune.yaml': claiming('../home/.profile:1:1', 'workspaces: {a: {description: x}}'),
      },
      { seed },
    );
    for (const flags of [[], ['--dry-run']]) {
      const { code, stderr } = await world.attune(
        'accept',
        'workspace.a',
        '--config',
        'repository/attune.yaml',
        ...flags,
      );
      expect([code, stderr]).toEqual([
        1,
        'error[not-acceptable]: workspace.a is not accepted: its declaration is in ../home/.profile, which is not a file of the configuration\n  hint: change the program that declares it\n',
      ]);
    }
    expect(await readFile(join(world.folder, 'home', '.profile'), 'utf8')).toBe('workspaces: {}\n');
  });

  test('import --update adds to no file that is not of the configuration', async () => {
    const world = await worldWith(
      {
        'home/.profile': 'workspaces: {}\n',
        'repository/attune.yaml': 'attune: 1\norganization: acme\ninclude: [made.yaml]\n',
        'repository/made.yaml': claiming('../home/.profile:1:1', 'workspaces: {a: {project: prj-p}}'),
      },
      { seed },
    );
    const { code, stdout, stderr } = await world.attune('import', '--update', '--out', 'repository');
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining('repository/attune.yaml')]);
    expect(stdout).not.toContain('home');
    expect(await readFile(join(world.folder, 'home', '.profile'), 'utf8')).toBe('workspaces: {}\n');
  });
});

test('attune emulator replaces no file that is not a data file', async () => {
  const cwd = await folderWith({ 'notes.txt': 'ours' });
  const { code, stderr } = await attune(['emulator', '--data', '../notes.txt'], { cwd: join(cwd, 'inner') });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('notes.txt is damaged: it is not attune.emulator/2. It was not changed.'),
  ]);
  await writeFile(join(cwd, 'notes.txt'), '{"format": "other"}');
  expect((await attune(['emulator', '--data', 'notes.txt'], { cwd })).code).toBe(1);
  expect(await readFile(join(cwd, 'notes.txt'), 'utf8')).toBe('{"format": "other"}');
  expect(await readdir(cwd)).toEqual(['notes.txt']);
});
