import { spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { reportFormats } from '../../../src/report/report.ts';
import { attune, folderWith } from '../../support/attune.ts';

const bin = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'bin.js');

/** Runs a shell in a folder with a root file, and with the built program and an `npx` that knows it on its path. */
async function shell(name: string, argv: readonly string[], script: string): Promise<string[]> {
  const cwd = await folderWith({
    'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {network: {}, app: {}}\n',
    'seed.yaml': '',
    'path/attune': `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`,
    'path/npx': '#!/bin/sh\n[ "$1" = --no ] && shift && exec "$@"\n',
    'path/script': (await attune(['completion', name], { cwd: '.' })).stdout,
  });
  for (const program of ['attune', 'npx']) await chmod(join(cwd, 'path', program), 0o755);
  const env = { ...process.env, HOME: cwd, PATH: `${join(cwd, 'path')}${delimiter}${process.env.PATH}` };
  const { stdout, stderr } = spawnSync(name, [...argv, script], { cwd, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

const has = (name: string) => spawnSync(name, ['-c', 'true']).status === 0;
const missing = ['zsh', 'fish'].filter((name) => !has(name));
if (missing.length > 0) console.warn(`Completion is not run in ${missing.join(' and ')}: not installed.`);

const cases: [line: string, expected: string[]][] = [
  ['attune wor', ['workspace']],
  ['attune plan --out se', ['seed.yaml']],
  ['attune plan --format j', ['json', 'junit']],
  ['npx attune plan --format j', ['json', 'junit']],
  ['npx attune wor', ['workspace']],
];

test.each(cases)('bash completes %j with %j', async (line, expected) => {
  const script = `source path/script
COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_attune "$COMP_WORDS"; printf '%s\\n' "\${COMPREPLY[@]}"`;
  expect(await shell('bash', ['--norc', '-c'], script)).toEqual(expected);
});

test('bash completes a value behind an equals sign', async () => {
  const script = `source path/script
COMP_WORDS=(attune plan --format = j); COMP_CWORD=4; _attune attune; echo "\${COMPREPLY[*]}"
COMP_WORDS=(attune plan --format =); COMP_CWORD=3; _attune attune; echo "\${COMPREPLY[*]}"`;
  expect(await shell('bash', ['--norc', '-c'], script)).toEqual(['json junit', reportFormats.join(' ')]);
});

test('bash quotes a value that it inserts', async () => {
  const script = `source path/script
hostile() { printf 'none\\n%s\\tworkspace\\n' '$(touch ran); a b'; }
COMP_WORDS=(hostile workspace show ''); COMP_CWORD=3; _attune hostile; echo "\${COMPREPLY[0]}"
eval "set -- \${COMPREPLY[0]}"; echo "$1"; ls ran 2>&1`;
  const [inserted, read, ran] = await shell('bash', ['--norc', '-c'], script);
  expect(inserted).toBe('\\$\\(touch\\ ran\\)\\;\\ a\\ b');
  expect(read).toBe('$(touch ran); a b');
  expect(ran).toContain('No such file');
});

test.skipIf(missing.includes('zsh')).each(cases)('zsh completes %j with %j', async (line, expected) => {
  // The completion system needs a terminal: the suggestions of the script are printed instead.
  const script = `compdef() { : }; typeset -A _comps; source path/script
_files() { print -l -- \${words[CURRENT]}* }; _describe() { print -l -- "\${(@)\${(P)@[-1]}%%:*}" }
words=(${line}); CURRENT=$#words; _attune`;
  expect(await shell('zsh', ['-f', '-c'], script)).toEqual(expected);
});

test.skipIf(missing.includes('zsh'))('the script for zsh starts the completion system', async () => {
  const script = 'source path/script; print -l -- $_comps[attune] $_comps[npx]';
  expect(await shell('zsh', ['-f', '-c'], script)).toEqual(['_attune', '_attune']);
});

const ofAttune = cases.filter(([line]) => line.startsWith('attune'));
test.skipIf(missing.includes('fish')).each(ofAttune)('fish completes %j with %j', async (line, expected) => {
  const script = `source path/script; complete -C '${line}' | string replace -r '\\t.*' ''`;
  expect(await shell('fish', ['--no-config', '-c'], script)).toEqual(expected);
});
