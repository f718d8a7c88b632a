import { describe, expect, test } from 'vitest';
import { reportFormats } from '../../src/report/report.ts';
import { codesOnly } from '../support/codes-only.ts';
import { failing } from './failing-run.ts';

const plan = `acme  http://SERVICE

  ~ workspace.network                            attune.yaml:4
      description: old words -> new words

Plan: 0 to create, 1 to update, 0 to delete, 0 unchanged. 1 call.
`;

describe('without a way to the service nothing is sent', () => {
  test('plan without a token sends nothing', async () => {
    const { text } = await failing('plan', { env: {}, address: 'https://iac.example.com' });
    expect(text).toBe(`stderr:
error[no-token]: cannot connect to iac.example.com: no token is set
  hint: set ATTUNE_TOKEN (or TFE_TOKEN, or TF_TOKEN_iac_example_com), or run \`terraform login iac.example.com\`
exit 1
`);
  });

  test('plan with a token that has spaces sends nothing', async () => {
    const { text } = await failing('apply --yes', { env: { ATTUNE_TOKEN: 'two words' } });
    expect(text).toBe(`stderr:
error[bad-credentials]: invalid token in ATTUNE_TOKEN: it contains characters that cannot be sent
  hint: copy the token again without spaces or line breaks
No changes were made.
exit 1
`);
  });

  test('plan with plain http to another host sends nothing', async () => {
    const { text } = await failing('plan', { address: 'http://iac.example.com' });
    expect(codesOnly(text)).toBe('stderr:\nerror[bad-address]\nexit 1\n');
  });

  test('plan with an invalid address sends nothing', async () => {
    const { text } = await failing('plan', { address: 'iac.example.com' });
    expect(text).toBe(`stderr:
error[bad-address]: invalid service address "iac.example.com"
  hint: use an address with its scheme, such as https://iac.example.com, or the word \`embedded\`
exit 1
`);
  });

  test.each([
    { what: 'no token', run: { env: {} }, code: 'no-token' },
    { what: 'plain http', run: { address: 'http://iac.example.com' }, code: 'bad-address' },
  ])('a run with $what prints one JSON document', async ({ run, code }) => {
    const { stdout } = await failing('plan --format json', run);
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'attune.diagnostics/1',
      diagnostics: [{ severity: 'error', code }],
    });
  });
});

describe('a command line that cannot be read', () => {
  test.each([
    ['frobnicate', "error: unknown command 'frobnicate'\n"],
    ['plam', "error: unknown command 'plam'\n(Did you mean plan?)\n"],
    ['plan --formt=json', "error: unknown option '--formt=json'\n"],
    [
      'plan --format yaml',
      `error: option '--format <format>' argument 'yaml' is invalid. Allowed choices are ${reportFormats.join(', ')}.\n`,
    ],
    ['plan --rate 0', "error: option '--rate <n>' argument '0' is invalid. Allowed are numbers above 0.\n"],
    [
      'apply --parallelism 0',
      "error: option '--parallelism <n>' argument '0' is invalid. Allowed are whole numbers from 1.\n",
    ],
    ...['0/3', '4/3', 'a/b', '1/0', '3', '1/2/3'].map((shard) => [
      `plan --shard ${shard}`,
      `error: option '--shard <i/n>' argument '${shard}' is invalid. Allowed are I/N with whole numbers and I from 1 to N, as in 3/10.\n`,
    ]),
    [
      'plan --max-deletes',
      "error: option '--max-deletes <n>' argument '--address' is invalid. Allowed are whole numbers from 0.\n",
    ],
  ])('the command line %s prints its error and a hint, and sends nothing', async (command, error) => {
    const { text, writes } = await failing(command);
    expect(text).toBe(`stderr:\n${error}(add --help for the flags)\nexit 1\n`);
    expect(writes).toEqual([]);
  });

  test('a command line that cannot be read gives one document with --format json', async () => {
    const { stdout } = await failing('plan --format json --onyl x');
    expect(JSON.parse(stdout)).toEqual({
      format: 'attune.diagnostics/1',
      diagnostics: [
        {
          severity: 'error',
          code: 'usage',
          message: "unknown option '--onyl'",
          hint: '(Did you mean --only?)',
        },
      ],
    });
  });
});

describe('apply asks', () => {
  test('apply without a terminal and without --yes writes nothing', async () => {
    const { text, writes } = await failing('apply');
    expect(text).toBe(`${plan}stderr:
error[not-confirmed]: apply requires confirmation and stdin is not a terminal; no changes were made
  hint: review the plan, then run again with --yes
exit 1
`);
    expect(writes).toEqual([]);
  });

  test.each(['no', 'y', '', 'YES'])('apply writes nothing after the answer "%s"', async (answer) => {
    const { text, writes } = await failing('apply', { answer });
    expect(text).toBe(`${plan}stderr:

Apply 1 change? Only "yes" is accepted: error[not-confirmed]: apply canceled: the answer was not "yes"; no changes were made
exit 1
`);
    expect(writes).toEqual([]);
  });

  test('apply writes after the answer "yes"', async () => {
    const { text, writes } = await failing('apply', { answer: 'yes' });
    expect(text).toBe(`${plan}
Updated:
  ~ workspace.network

Applied: 0 created, 1 updated, 0 deleted. 1 call.
stderr:

Apply 1 change? Only "yes" is accepted: Undo with: attune undo --last
exit 0
`);
    expect(writes).toEqual(['PATCH /workspaces/ws-network']);
  });

  test('the report of an apply that is not confirmed does not claim that planning failed', async () => {
    const { stdout } = await failing('apply --format github');
    expect(stdout).toContain('::notice title=attune apply::Nothing applied: 1 error, 0 warnings, 0 notes.');
  });

  test('apply --format json asks on stderr, after the plan, and stdout has one document', async () => {
    const { text, stdout, writes } = await failing('apply --format json', { answer: 'no' });
    expect(JSON.parse(stdout)).toEqual({
      format: 'attune.diagnostics/1',
      diagnostics: [
        {
          severity: 'error',
          code: 'not-confirmed',
          message: 'apply canceled: the answer was not "yes"; no changes were made',
        },
      ],
    });
    expect(text).toContain(`stderr:\n${plan}\nApply 1 change? Only "yes" is accepted: `);
    expect(writes).toEqual([]);
  });
});
