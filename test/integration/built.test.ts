import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { attune, folderWith } from '../support/attune.ts';
import { bin, startAttune } from './attune-process.ts';

test('the built program reports the same errors with the compiled schema as the sources without it', async () => {
  const cwd = await folderWith({
    'attune.yaml':
      'attune: 2\norganizaton: acme\nworkspaces:\n  a b: {auto-apply: yes, tags: 3}\nlimits: {deletes: -1}\n',
  });
  const built = await startAttune(['validate'], { cwd }).ended;
  expect(built).toEqual(await attune(['validate'], { cwd }));
  expect(built.stdout.match(/error\[/g)).toHaveLength(6);
});

const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
if (!hasTerminal) console.warn('Questions are not left with a key: there is no `script` to make a terminal.');

test.skipIf(!hasTerminal).each([
  { key: 'Ctrl-D', typed: '\u0004', exitCode: 1 },
  { key: 'Ctrl-C', typed: '\u0003', exitCode: 130 },
])(
  'the answer $key to a question ends the run with $exitCode, and nothing is written',
  async ({ typed, exitCode }) => {
    const cwd = await folderWith({
      'attune.yaml': 'attune: 1\norganization: acme\nservice: {address: embedded}\nworkspaces: {a: {}}\n',
    });
    const command = `"${process.execPath}" "${bin}" apply`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd,
      env: { ...process.env, NO_COLOR: '1' },
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!shown.includes('Apply 1') && (shown + text).includes('Apply 1')) child.stdin.write(typed);
      shown += text;
    });
    const [code] = await once(child, 'close');
    expect(code, shown).toBe(exitCode);
    expect(shown).toContain('error[not-confirmed]: the confirmation was interrupted; no changes were made');
    expect((await attune(['plan'], { cwd })).stdout).toContain('Plan: 1 to create');
  },
);
