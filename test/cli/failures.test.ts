import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/emulator/index.ts';
import { failing, token } from './failing-run.ts';

const status = (code: number, rest: Partial<Fault> = {}): Fault => ({
  kind: 'status',
  status: code,
  ...rest,
});
const single = 'GET /organizations/acme/workspaces/network';

/** The fault of every read, and the error that is printed for it. */
const reads: readonly { readonly name: string; readonly fault: Fault; readonly error: string }[] = [
  {
    name: '401',
    fault: status(401),
    error: `error[service-error]: ${single} answered 401: the token is missing or not valid
  hint: set ATTUNE_TOKEN to a token that is valid for SERVICE
`,
  },
  {
    name: '403',
    fault: status(403),
    error: `error[service-error]: ${single} answered 403: this token may not do that
`,
  },
  {
    name: '404 of everything',
    fault: status(404),
    error: `error[service-error]: GET /organizations/acme/workspaces?page[size]=1 answered 404: not found, or this token may not see it
  hint: check the name of the organization, and that the token for SERVICE belongs to it
`,
  },
  {
    name: '409',
    fault: status(409),
    error: `error[service-error]: ${single} answered 409: conflict with the current state
`,
  },
  {
    name: '422',
    fault: status(422, { detail: 'include is not known' }),
    error: `error[service-error]: ${single} answered 422: include is not known
`,
  },
  {
    name: '500',
    fault: status(500),
    error: `error[service-error]: ${single} answered 500: the service failed
  hint: run again later: SERVICE has a problem (5 tries)
`,
  },
  {
    name: '503',
    fault: status(503, { detail: 'Down for maintenance.' }),
    error: `error[service-error]: ${single} answered 503: Down for maintenance
  hint: run again later: SERVICE has a problem (5 tries)
`,
  },
  {
    name: 'a sign-in page',
    fault: { kind: 'html', status: 200 },
    error: `error[no-usable-answer]: ${single}: answered 200 with an HTML page
  hint: check that SERVICE is the service itself and not a proxy or a sign-in page
`,
  },
  {
    name: 'a page of a broken proxy',
    fault: { kind: 'html', status: 502 },
    error: `error[service-error]: ${single} answered 502: the service failed
  hint: run again later: SERVICE has a problem (5 tries)
`,
  },
  {
    name: 'half a document',
    fault: { kind: 'half-body' },
    error: `error[no-usable-answer]: ${single}: the connection was closed before the response was complete
  hint: check the address SERVICE and the connection to it (5 tries)
`,
  },
  {
    name: 'a cut connection',
    fault: { kind: 'cut-before' },
    error: `error[no-usable-answer]: ${single}: the connection was closed before the response was complete
  hint: check the address SERVICE and the connection to it (5 tries)
`,
  },
];

test.each(reads)(
  'plan with a failing read prints the error and nothing else: $name',
  async ({ fault, error }) => {
    const { text, writes } = await failing('plan', { faults: [fault] });
    expect(text).toBe(`stderr:\n${error}exit 1\n`);
    expect(writes).toEqual([]);
  },
);

test.each(reads)(
  'apply with a failing read reports that it wrote nothing: $name',
  async ({ fault, error }) => {
    const { text, writes } = await failing('apply --yes', { faults: [fault] });
    expect(text).toBe(`stderr:\n${error}No changes were made.\nexit 1\n`);
    expect(writes).toEqual([]);
  },
);

test.each(reads.flatMap((row) => ['plan', 'apply --yes', 'drift'].map((command) => ({ ...row, command }))))(
  'with --format json a failing read leaves exactly one document on stdout: $command: $name',
  async ({ command, fault, error }) => {
    const { stdout, text } = await failing(`${command} --format json`, { faults: [fault] });
    const [, code, message] = /^error\[(.*?)\]: (.*)$/m.exec(error) ?? [];
    const hint = /^ {2}hint: (.*)$/m.exec(error)?.[1];
    expect(JSON.parse(stdout)).toEqual({
      format: 'attune.diagnostics/1',
      diagnostics: [{ severity: 'error', code, message, ...(hint && { hint }) }],
    });
    expect(text).toMatch(/exit 1\n$/);
  },
);

describe('a service that cannot be reached', () => {
  test('plan reports a refused connection', async () => {
    const { text } = await failing('plan', { address: 'http://127.0.0.1:1' });
    expect(text).toBe(`stderr:
error[no-usable-answer]: ${single}: the connection was refused
  hint: check the address 127.0.0.1:1 and the connection to it (5 tries)
exit 1
`);
  });

  test('plan --timeout reports a service that never responds', async () => {
    const { text } = await failing('apply --yes --timeout 0.05', { faults: [{ kind: 'hang' }] });
    expect(text).toBe(`stderr:
error[no-usable-answer]: ${single}: no response within 0.05 s
  hint: check the address SERVICE and the connection to it (5 tries), or set a longer --timeout
No changes were made.
exit 1
`);
  });
});

describe('plan does not report a short failure', () => {
  test.each<[string, Fault]>([
    ['429 once', status(429, { nth: 1, reset: 1 })],
    ['500 once', status(500, { nth: 1 })],
    ['503 three times', status(503, { times: 3 })],
    ['one cut connection', { kind: 'cut-before', nth: 1 }],
    ['half a document once', { kind: 'half-body', nth: 1 }],
  ])('plan does not report a failure that ends before the last try: %s', async (_name, fault) => {
    const { text } = await failing('plan --quiet', { faults: [fault] });
    expect(text).toBe(`acme  http://SERVICE

  ~ workspace.network                            attune.yaml:4
      description: old words -> new words

Plan: 0 to create, 1 to update, 0 to delete, 0 unchanged. 1 call.
exit 0
`);
  });

  test('plan reports a long wait for the rate limit', async () => {
    const { text } = await failing('plan', { faults: [status(429, { nth: 1, reset: 30 })] });
    expect(text).toContain('waiting 30 s for the rate limit\n');
    expect(text).toMatch(/exit 0\n$/);
  });

  test('plan --verbose shows every request', async () => {
    const { text } = await failing('plan --verbose', { faults: [status(503, { nth: 1 })] });
    expect(text.replaceAll(/\d+ ms$/gm, 'N ms')).toContain(`stderr:
${single} 503 N ms
${single} again in N ms
${single} 200 N ms
`);
  });
});

describe('the token is printed nowhere', () => {
  test.each(['plan', 'plan --verbose', 'plan --format json', 'apply --yes --verbose'])(
    'the token is printed nowhere: %s',
    async (command) => {
      for (const fault of [
        status(422, { detail: `bad token ${token}` }),
        status(422, { detail: token, method: 'PATCH' }),
      ]) {
        const { text } = await failing(command, { faults: [fault] });
        expect(text).not.toContain(token);
      }
    },
  );
});
