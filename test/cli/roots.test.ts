import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith } from '../support/attune.ts';

const root = (organization: string) => `attune: 1\norganization: ${organization}\n`;
const files = {
  'organizations/emea/attune.yaml': root('acme-emea'),
  'organizations/apac/attune.yaml': root('acme-apac'),
  'organizations/apac/teams/payments.yaml': root('Acme-Apac'),
  'organizations/apac/workspaces/network.yaml': 'workspaces: {network: {}}\n',
  'organizations/emea/seed.yaml': '# attune/schemas\norganization: acme-emea\n',
  'organizations/emea/broken.yaml': 'workspaces: [',
  'organizations/node_modules/other/attune.yaml': root('other'),
  'organizations/.cache/attune.yaml': root('other'),
};

describe('attune roots', () => {
  test('roots prints control characters and commands of job logs in paths as escapes', async () => {
    const cwd = await folderWith({
      '::error::a.yaml': root('a'),
      'b\u001b[31m\u0085\u202e\u200b.yaml': root('b'),
      'c##[error]##vso[x].yaml': root('c'),
    });
    expect((await attune(['roots'], { cwd })).stdout).toBe(
      '\\u{3a}:error::a.yaml\nb\\u{1b}[31m\\u{85}\\u{202e}\\u{200b}.yaml\nc##\\u{5b}error]##vso\\u{5b}x].yaml\n',
    );
    const { stdout } = await attune(['roots', '--format', 'json'], { cwd });
    for (const raw of ['\u001b', '\u0085', '\u202e', '\u200b', '##[', '##vso['])
      expect(stdout).not.toContain(raw);
    expect(JSON.parse(stdout).roots.map((one: { root: string }) => one.root)).toContain(
      'c##[error]##vso[x].yaml',
    );
  });

  test.each(['text', 'json', 'github-matrix'])(
    'roots refuses a path with a line break in the format %s',
    async (format) => {
      const cwd = await folderWith({ 'a.yaml': root('a'), 'a\n--app=x.yaml': root('b') });
      const { code, stdout, stderr } = await attune(['roots', '--format', format], { cwd });
      expect([code, format === 'json' ? JSON.parse(stdout).diagnostics[0] : stderr]).toEqual([
        1,
        format === 'json'
          ? expect.objectContaining({ code: 'bad-root-path' })
          : 'error[bad-root-path]: cannot list "a\\n--app=x.yaml": its path has a line break\n',
      ]);
    },
  );

  test('the hint for a root file that is named like a flag can be run as it is printed', async () => {
    const cwd = await folderWith({ '--app=x.yaml': 'attune: 1\n' });
    expect((await attune(['roots'], { cwd })).stderr).toContain('hint: run `attune validate ./--app=x.yaml`');
  });

  test('roots lists every root file below the folders, sorted by path', async () => {
    const cwd = await folderWith(files);
    await mkdir(join(cwd, 'organizations/linked'));
    await symlink(join(cwd, 'organizations/emea'), join(cwd, 'organizations/linked/emea'));
    expect(await attune(['roots', 'organizations', 'organizations/apac'], { cwd })).toEqual({
      code: 0,
      stdout: `organizations/apac/attune.yaml
organizations/apac/teams/payments.yaml
organizations/emea/attune.yaml
`,
      stderr: '',
    });
  });

  test('the JSON of roots has each root file with its organization and the name of its job', async () => {
    const { stdout } = await attune(['roots', '--format', 'json'], { cwd: await folderWith(files) });
    expect(JSON.parse(stdout)).toEqual({
      format: 'attune.roots/1',
      roots: [
        {
          root: 'organizations/apac/attune.yaml',
          organization: 'acme-apac',
          name: 'organizations-apac',
        },
        {
          root: 'organizations/apac/teams/payments.yaml',
          organization: 'Acme-Apac',
          name: 'organizations-apac',
        },
        {
          root: 'organizations/emea/attune.yaml',
          organization: 'acme-emea',
          name: 'organizations-emea',
        },
      ],
    });
  });

  test('the matrix of roots has one job for each organization, with all of its root files', async () => {
    const { stdout } = await attune(['roots', '--format', 'github-matrix'], { cwd: await folderWith(files) });
    expect(stdout).toBe(
      `${JSON.stringify({
        include: [
          {
            root: 'organizations/apac/attune.yaml organizations/apac/teams/payments.yaml',
            organization: 'acme-apac',
            name: 'organizations-apac',
          },
          { root: 'organizations/emea/attune.yaml', organization: 'acme-emea', name: 'organizations-emea' },
        ],
      })}\n`,
    );
  });

  test('the job names of a matrix of roots are unique without regard to letter case', async () => {
    const cwd = await folderWith({
      'attune.yaml': root('acme'),
      'a/b/attune.yaml': root('one'),
      'a-b.yaml': root('two'),
      'A/b.yml': root('three'),
    });
    const { stdout } = await attune(['roots', '--format', 'json'], { cwd });
    const { roots } = JSON.parse(stdout) as { readonly roots: readonly { readonly name: string }[] };
    expect(roots.map(({ name }) => name)).toEqual(['A-b', 'a-b-2', 'a-b-3', 'acme']);
  });

  test('roots without a root file prints an empty list and exits with 0', async () => {
    const cwd = await folderWith({ 'docs/readme.yaml': 'title: none\n' });
    const go = (...argv: string[]) => attune(['roots', 'docs', ...argv], { cwd });
    const stderr = 'No root files below docs.\n';
    expect(await go()).toEqual({ code: 0, stdout: '', stderr });
    expect(await go('--format', 'github-matrix')).toEqual({ code: 0, stdout: '{"include":[]}\n', stderr });
    expect(JSON.parse((await go('--format', 'json')).stdout)).toEqual({
      format: 'attune.roots/1',
      roots: [],
    });
  });

  test('the shards of roots are those of the other commands', async () => {
    const cwd = await folderWith(files);
    for (const shard of ['1/2', '2/2', '3/3']) {
      const { stdout, stderr } = await attune(['roots', '--shard', shard], { cwd });
      const all = (await attune(['roots'], { cwd })).stdout.trim().split('\n');
      const validated = await attune(['validate', ...all, '--shard', shard], { cwd });
      const organizations = new Set(stdout.split('\n').flatMap((line) => line.split('/')[1] ?? []));
      if (organizations.size === 0) {
        expect(stderr).toBe(`No root files below . in shard ${shard}.\n`);
        expect(validated).toEqual({ code: 0, stdout: '', stderr: `Shard ${shard} has no root files.\n` });
      } else {
        expect(validated.stderr.toLowerCase()).toContain(`acme-${[...organizations][0]}: `);
      }
    }
  });

  test('roots fails if the organization of an attune.yaml cannot be read', async () => {
    const cwd = await folderWith({
      'a/attune.yaml': 'attune: 1\n',
      'b/attune.yaml': 'attune: [',
      'c/attune.yaml': root('acme'),
    });
    const { code, stdout, stderr } = await attune(['roots', '--format', 'github-matrix'], { cwd });
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      `error[root-without-organization]: cannot list a/attune.yaml: it declares no organization, or cannot be read
  hint: run \`attune validate a/attune.yaml\` and correct its errors
error[root-without-organization]: cannot list b/attune.yaml: it declares no organization, or cannot be read
  hint: run \`attune validate b/attune.yaml\` and correct its errors
`,
    ]);
  });

  test('roots fails for a folder that does not exist', async () => {
    const { code, stderr } = await attune(['roots', 'nowhere'], { cwd: await folderWith({}) });
    expect([code, stderr]).toEqual([
      1,
      'error[file-not-found]: nowhere does not exist\n  hint: name folders that contain root files\n',
    ]);
  });

  test('roots --matrix refuses a path that a shell would split or expand', async () => {
    const cwd = await folderWith({ 'a $(id)/attune.yaml': root('acme') });
    const { code, stdout, stderr } = await attune(['roots', '--format', 'github-matrix'], { cwd });
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      `error[bad-root-path]: cannot put a $(id)/attune.yaml in a matrix: a shell would split or expand its path
  hint: rename the file and its folders: use letters, digits and . _ - only
`,
    ]);
  });

  test('roots --matrix refuses more than 256 jobs, and prints the shards that fit', async () => {
    const many = Array.from({ length: 258 }, (_, at) => [`o${at}.yaml`, root(`acme-${at}`)]);
    const cwd = await folderWith(Object.fromEntries(many));
    const { code, stderr } = await attune(['roots', '--format', 'github-matrix'], { cwd });
    expect([code, stderr]).toEqual([
      1,
      `error[matrix-too-large]: cannot make a matrix of 258 jobs: GitHub allows 256 jobs per matrix
  hint: make 2 matrices, with --shard 1/2 and --shard 2/2
`,
    ]);
    const half = await attune(['roots', '--format', 'github-matrix', '--shard', '1/2'], { cwd });
    expect(JSON.parse(half.stdout).include).toHaveLength(129);
  });
});

describe('a shard without root files', () => {
  test.each([
    ['plan', { format: 'attune.plans/1', plans: [] }],
    ['drift', { format: 'attune.plans/1', plans: [] }],
    ['apply', { format: 'attune.plans/1', plans: [] }],
    ['validate', { format: 'attune.diagnostics/1', diagnostics: [] }],
  ])(
    '%s succeeds with a shard without root files, prints a message and one document',
    async (command, document) => {
      const cwd = await folderWith({ 'attune.yaml': root('acme') });
      const shards = [1, 2].map((index) =>
        attune([command, '--shard', `${index}/2`, '--format', 'json', '--quiet'], { cwd }),
      );
      const [, second] = await Promise.all(shards);
      expect([second?.code, JSON.parse(second?.stdout ?? '')]).toEqual([0, document]);
      const text = await attune([command, '--shard', '2/2', '--report', 'out.html'], { cwd });
      expect(text).toEqual({ code: 0, stdout: '', stderr: 'Shard 2/2 has no root files.\n' });
    },
  );

  test('a plan of a shard without root files is saved, and applied without a change', async () => {
    const cwd = await folderWith({ 'attune.yaml': root('acme') });
    const go = (...argv: string[]) => attune([...argv, '--shard', '2/2'], { cwd });
    expect((await go('plan', '--out', 'plan.json')).code).toBe(0);
    expect((await go('apply', '--plan', 'plan.json', '--yes')).code).toBe(0);
  });
});
