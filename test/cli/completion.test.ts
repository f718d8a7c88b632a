import { spawnSync } from 'node:child_process';
import { chmod, utimes } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith } from '../support/attune.ts';

const workspace = (name: string, tags: readonly string[] = []) => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  id: `ws-${name}`,
  attributes: { tags },
});
const snapshot = (...names: string[]) =>
  `${JSON.stringify(
    {
      format: 'attune.snapshot/1',
      organization: 'acme',
      address: 'embedded',
      dialect: 'iac',
      consumersOf: [],
      retentionOf: [],
      projects: [],
      names: {},
      resources: names.map((name) => workspace(name, ['prod', name])),
    },
    null,
    2,
  )}\n`;

/** What is suggested for the last word: the paths that the shell adds, and the values without their descriptions. */
async function suggested(cwd: string, ...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await attune(['__complete', '--', ...words], { cwd });
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('what is suggested', () => {
  test.each<[string[], string[]]>([
    [['wor'], ['none', 'workspace']],
    [
      ['workspace', ''],
      ['none', 'list', 'show', 'lock', 'unlock', 'delete'],
    ],
    [
      ['workspace', 'lock', '--re'],
      ['none', '--reason'],
    ],
    [
      ['plan', '--format', 'j'],
      ['none', 'json', 'junit'],
    ],
    [
      ['plan', '--format=j'],
      ['none', '--format=json', '--format=junit'],
    ],
    // As bash takes it apart.
    [
      ['plan', '--format', '=', 'j'],
      ['none', 'json', 'junit'],
    ],
    [['plan', ''], ['files']],
    [['plan', '--quiet', ''], ['files']],
    [['plan', 'one.yaml', ''], ['files']],
    [['plan', '--report', ''], ['files']],
    [['show', 'plan.json', ''], ['none']],
    [['plan', '--rate', ''], ['none']],
    [['plan', '--', '--fo'], ['files']],
    [['workspace', 'list', '--format', 'h'], ['none']],
    [
      ['completion', ''],
      ['none', 'bash', 'zsh', 'fish'],
    ],
    [['plan', '--nonsense=x'], ['none']],
    [['nonsense', ''], ['none']],
  ])('for %j is %j', async (words, expected) => {
    expect(await suggested(await folderWith({}), ...words)).toEqual(expected);
  });

  test('comes with descriptions', async () => {
    const { stdout } = await attune(['__complete', '--', 'emu'], { cwd: await folderWith({}) });
    expect(stdout).toBe('none\nemulator\tserve the embedded service on loopback\n');
  });

  test('does not hold what only the scripts call', async () => {
    const cwd = await folderWith({});
    expect(await suggested(cwd, '_')).toEqual(['none']);
    expect((await attune(['--help'], { cwd })).stdout).not.toContain('__complete');
  });
});

describe('names of workspaces', () => {
  test.each<[string[], string[]]>([
    [
      ['workspace', 'show', ''],
      ['app', 'network'],
    ],
    [['workspace', 'lock', 'app', 'n'], ['network']],
    [['workspace', 'list', '--name', 'n'], ['network']],
    [
      ['workspace', 'list', '--tag', ''],
      ['app', 'network', 'prod'],
    ],
    [
      ['plan', '--only', 'workspace.'],
      ['workspace.app', 'workspace.network'],
    ],
  ])('for %j come from a snapshot in the working folder', async (words, expected) => {
    const cwd = await folderWith({ 'live.json': snapshot('network', 'app'), 'other.json': '[1]' });
    expect(await suggested(cwd, ...words)).toEqual(['none', ...expected]);
  });

  test('come from the newest snapshot, be it in .attune', async () => {
    const cwd = await folderWith({ 'live.json': snapshot('old'), '.attune/live.json': snapshot('new') });
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(cwd, 'live.json'), hourAgo, hourAgo);
    expect(await suggested(cwd, 'workspace', 'show', '')).toEqual(['none', 'new']);
  });

  test('do not come from one that is older than a week', async () => {
    const cwd = await folderWith({ 'live.json': snapshot('old') });
    const then = new Date(Date.now() - 8 * 24 * 3_600_000);
    await utimes(join(cwd, 'live.json'), then, then);
    expect(await suggested(cwd, 'workspace', 'show', '')).toEqual(['none']);
  });

  test('a broken snapshot is no error', async () => {
    const cwd = await folderWith({ 'live.json': snapshot('old').slice(0, 200) });
    expect(await suggested(cwd, 'workspace', 'show', '')).toEqual(['none']);
  });
});

describe('the scripts', () => {
  const bin = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'bin.js');

  /** Runs a shell in a folder with a snapshot, and with the built program on its path. */
  async function shell(name: string, argv: readonly string[], script: string): Promise<string[]> {
    const cwd = await folderWith({
      'live.json': snapshot('network', 'app'),
      'seed.yaml': '',
      'path/attune': `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`,
      'path/script': (await attune(['completion', name], { cwd: '.' })).stdout,
    });
    await chmod(join(cwd, 'path/attune'), 0o755);
    const env = { ...process.env, HOME: cwd, PATH: `${join(cwd, 'path')}${delimiter}${process.env.PATH}` };
    const { stdout, stderr } = spawnSync(name, [...argv, script], { cwd, env, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trimEnd().split('\n');
  }

  const has = (name: string) => spawnSync(name, ['-c', 'true']).status === 0;
  const missing = ['zsh', 'fish'].filter((name) => !has(name));
  if (missing.length > 0) console.warn(`Completion is not run in ${missing.join(' and ')}: not installed.`);

  const cases: [words: string[], expected: string[]][] = [
    [['wor'], ['workspace']],
    [['workspace', 'show', 'n'], ['network']],
    [['plan', '--out', 'se'], ['seed.yaml']],
    [
      ['plan', '--format', 'j'],
      ['json', 'junit'],
    ],
  ];

  test.each(cases)('bash completes %j with %j', async (words, expected) => {
    const script = `source path/script
COMP_WORDS=(attune ${words.join(' ')}); COMP_CWORD=${words.length}
_attune attune; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(await shell('bash', ['--norc', '-c'], script)).toEqual(expected);
  });

  test('bash completes a value behind an equals sign', async () => {
    const script = `source path/script
COMP_WORDS=(attune plan --format = j); COMP_CWORD=4; _attune attune; echo "\${COMPREPLY[*]}"
COMP_WORDS=(attune plan --format =); COMP_CWORD=3; _attune attune; echo "\${COMPREPLY[*]}"`;
    expect(await shell('bash', ['--norc', '-c'], script)).toEqual([
      'json junit',
      'text json markdown html github junit sarif',
    ]);
  });

  test.skipIf(missing.includes('zsh')).each(cases)('zsh completes %j with %j', async (words, expected) => {
    // The completion system needs a terminal: what the script tells it is printed instead.
    const script = `compdef() { : }; source path/script
_files() { print -l -- \${words[CURRENT]}* }; _describe() { print -l -- "\${(@)\${(P)4}%%:*}" }
words=(attune ${words.join(' ')}); CURRENT=$#words; _attune`;
    expect(await shell('zsh', ['-f', '-c'], script)).toEqual(expected);
  });

  test.skipIf(missing.includes('fish')).each(cases)('fish completes %j with %j', async (words, expected) => {
    const script = `source path/script; complete -C 'attune ${words.join(' ')}' | string replace -r '\\t.*' ''`;
    expect(await shell('fish', ['--no-config', '-c'], script)).toEqual(expected);
  });

  test('there is none for another shell', async () => {
    const { code, stderr } = await attune(['completion', 'tcsh'], { cwd: '.' });
    expect(code).toBe(1);
    expect(stderr).toContain(
      "error: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.",
    );
  });
});
