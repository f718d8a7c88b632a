import { expect, test } from 'vitest';
import { matchesAddress } from '../../src/model/wildcard.ts';
import { worldWith } from '../support/attune.ts';

const yaml = 'attune: 1\norganization: acme\nworkspaces: {app-1: {}, app-2: {}, app-10: {}, web: {}}\n';
const unmatched = (severity: string) => `${severity}[only-nothing]: --only workspace.wbe matches nothing
  hint: did you mean --only workspace.web?
`;

test.each([
  ['workspace.app-?', 'workspace.app-1', true],
  ['workspace.app-?', 'workspace.app-10', false],
  ['workspace.app-??', 'workspace.app-10', true],
  ['*?', '', false],
  ['*', '', true],
  ['*-?*', 'workspace.app-1', true],
  ['workspace.*-prod', 'workspace.a-prod-prod', true],
  ['workspace.*-prod', 'workspace.a-prod-x', false],
  ['a.b', 'axb', false],
] as const)('--only %s and the address "%s" match: %s', (pattern, address, matches) => {
  expect(matchesAddress(pattern, address)).toBe(matches);
});

test('--only accepts ? for one character', async () => {
  const { attune, writes } = await worldWith(yaml, { organization: 'acme' });
  const { code } = await attune('apply', '--yes', '--only', 'workspace.app-?');
  expect([code, writes().length]).toEqual([0, 2]);
});

test('apply refuses a pattern of --only that matches nothing, also beside one that matches', async () => {
  const { attune, writes } = await worldWith(yaml, {
    seed: { organization: 'acme', workspaces: { first: {} } },
  });
  const only = ['--only', 'workspace.app-1', '--only', 'workspace.wbe'];
  expect(await attune('apply', '--yes', ...only)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${unmatched('error')}No changes were made.\n`,
  });
  expect(writes()).toEqual([]);
  expect(await attune('plan', ...only)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(unmatched('warning')),
  });
});

test('undo refuses a pattern of --only that matches nothing', async () => {
  const { attune, writes } = await worldWith(yaml, {
    seed: { organization: 'acme', workspaces: { first: {} } },
  });
  expect((await attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
  expect(await attune('undo', 'run.jsonl', '--yes', '--only', 'workspace.wbe')).toEqual({
    code: 1,
    stdout: '',
    stderr: `${unmatched('error')}No changes were made.\n`,
  });
  expect(writes()).toEqual([]);
});

test.each([
  ['import', ['--report', '--max-deletes']],
  ['snapshot', ['--report', '--max-deletes', '--only']],
  ['export terraform', ['--max-deletes']],
])('%s does not accept flags that it does not use', async (command, flags) => {
  const { attune } = await worldWith(yaml, { organization: 'acme' });
  const words = command.split(' ');
  const help = (await attune(...words, '--help')).stdout;
  for (const flag of flags) {
    expect(help).not.toContain(flag);
    const { code, stderr } = await attune(...words, flag, '1');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: unknown option '${flag}'`)]);
  }
});
