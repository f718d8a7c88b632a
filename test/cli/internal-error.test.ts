import { expect, test } from 'vitest';
import { version } from '../../src/run/manifest.ts';
import { systemClock } from '../../src/service/clock.ts';
import { type World, worldWith } from '../support/attune.ts';

/** A run in which a defect of Attune shows up as soon as it looks at the clock. */
function defective(): Promise<World> {
  const now = () => {
    throw new RangeError('a slip of the program');
  };
  const yaml = 'attune: 1\norganization: acme\nworkspaces: {a: {}}\n';
  return worldWith(yaml, { organization: 'acme' }, { clock: { ...systemClock, now } });
}

const message = (command: string) =>
  `attune ${command} failed in Attune ${version()}: RangeError: a slip of the program`;
const hint =
  'report it to the repository of Attune with this message and the stack trace that --verbose prints';

test.each([
  ['plan', ''],
  ['drift', ''],
  ['apply', 'No changes were made.\n'],
  ['workspace list', ''],
])(
  'an error that Attune does not know, of %s, is printed with the version, the command and the address for reports, without a stack',
  async (command, end) => {
    const { attune } = await defective();
    const { code, stdout, stderr } = await attune(...command.split(' '));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`error[internal]: ${message(command)}\n  hint: ${hint}\n${end}`);
  },
);

test('an unexpected error is printed as one document with --format json', async () => {
  const { attune } = await defective();
  const { code, stdout, stderr } = await attune('plan', '--format', 'json');
  expect([code, stderr]).toEqual([1, '']);
  expect(JSON.parse(stdout)).toEqual({
    format: 'attune.diagnostics/1',
    diagnostics: [{ severity: 'error', code: 'internal', message: message('plan'), hint }],
  });
});

test('an unexpected error is printed with its stack with --verbose', async () => {
  const { attune } = await defective();
  const { stderr } = await attune('plan', '--verbose');
  expect(stderr).toMatch(/^RangeError: a slip of the program\n +at /m);
});
