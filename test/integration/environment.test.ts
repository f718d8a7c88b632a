import { describe, expect, test } from 'vitest';
import { folderWith, serviceWith } from '../support/attune.ts';
import { codesOnly } from '../support/codes-only.ts';
import { startAttune } from './attune-process.ts';

/** What Node does where the user has neither `HOME` nor an entry in the list of users. */
const homeless = `data:text/javascript,${encodeURIComponent(`
import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.homedir = () => { throw new Error('A system error occurred: uv_os_homedir returned ENOENT'); };
syncBuiltinESMExports();
`)}`;

describe('without a home folder', { timeout: 60_000 }, () => {
  const yaml = 'attune: 1\norganization: acme\nservice: {address: embedded}\nworkspaces: {app: {}}\n';

  test.each([['--version'], ['validate'], ['plan']])('%s works without a home folder', async (command) => {
    const cwd = await folderWith({ 'attune.yaml': yaml });
    const { code, stderr } = await startAttune([command], { cwd, node: ['--import', homeless] }).ended;
    expect([code, stderr]).not.toContain('ENOENT');
    expect(code).toBe(0);
  });

  test('a missing token without a home folder is reported as usual', async () => {
    const cwd = await folderWith({ 'attune.yaml': yaml });
    const { code, stderr } = await startAttune(['plan', '--address', 'https://iac.example.com'], {
      cwd,
      env: { ATTUNE_TOKEN: undefined },
      node: ['--import', homeless],
    }).ended;
    expect([code, codesOnly(stderr)]).toEqual([1, 'error[no-token]\n']);
  });
});

test('an uncaught error ends the run with its message, the version and exit code 1', {
  timeout: 60_000,
}, async () => {
  const uncaught = `data:text/javascript,${encodeURIComponent(`
const timer = setInterval(() => {
  if (process.listenerCount('uncaughtException') === 0) return;
  clearInterval(timer);
  throw new RangeError('a slip of the program');
}, 5);
`)}`;
  const cwd = await folderWith({ 'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {app: {}}\n' });
  const service = await serviceWith({ faults: [{ kind: 'hang', times: 100 }] });
  const plan = (...flags: string[]) =>
    startAttune(['plan', '--timeout', '600', '--address', service.url, ...flags], {
      cwd,
      node: ['--import', uncaught],
    }).ended;
  const message = expect.stringMatching(
    /^attune( plan)? failed in Attune \S+: RangeError: a slip of the program$/,
  );
  const hint =
    'report it to the repository of Attune with this message and the stack trace that --verbose prints';

  const { code, stdout, stderr } = await plan();
  const [first = '', second] = stderr.split('\n');
  expect([code, stdout, first.replace('error[internal]: ', ''), second]).toEqual([
    1,
    '',
    message,
    `  hint: ${hint}`,
  ]);
  expect(stderr).not.toMatch(/^ +at /m);

  const json = await plan('--format', 'json');
  expect([json.code, json.stderr, JSON.parse(json.stdout)]).toEqual([
    1,
    '',
    { format: 'attune.diagnostics/1', diagnostics: [{ severity: 'error', code: 'internal', message, hint }] },
  ]);

  expect((await plan('--verbose')).stderr).toMatch(/^RangeError: a slip of the program\n +at /m);
});
