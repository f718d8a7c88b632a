import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/emulator/index.ts';
import { failing } from './failing-run.ts';

const status = (code: number, rest: Partial<Fault> = {}): Fault => ({
  kind: 'status',
  status: code,
  ...rest,
});

const plan = `acme  http://SERVICE

  ~ workspace.network                            attune.yaml:4
      description: old words -> new words

Plan: 0 to create, 1 to update, 0 to delete, 0 unchanged. 1 call.
`;

/** The fault of the PATCH, the error that is printed for it, and how often it is sent. */
const writes: readonly {
  readonly name: string;
  readonly fault: Fault;
  readonly error: string;
  readonly tries: number;
}[] = [
  {
    name: '401',
    fault: status(401),
    error:
      'PATCH /workspaces/ws-network answered 401: the token is missing or not valid; set ATTUNE_TOKEN to a token that is valid for SERVICE',
    tries: 1,
  },
  {
    name: '403',
    fault: status(403),
    error: 'PATCH /workspaces/ws-network answered 403: this token may not do that',
    tries: 1,
  },
  {
    name: '404',
    fault: status(404),
    error: 'PATCH /workspaces/ws-network answered 404: not found, or this token may not see it',
    tries: 1,
  },
  {
    name: '409',
    fault: status(409, { detail: 'The workspace is being moved.' }),
    error: 'PATCH /workspaces/ws-network answered 409: The workspace is being moved',
    tries: 1,
  },
  {
    name: '422',
    fault: status(422, { detail: 'Description is too long' }),
    error: 'PATCH /workspaces/ws-network answered 422: Description is too long',
    tries: 1,
  },
  {
    name: '500',
    fault: status(500),
    error:
      'PATCH /workspaces/ws-network answered 500: the service failed; run again later: SERVICE has a problem',
    tries: 1,
  },
  {
    name: '503',
    fault: status(503),
    error:
      'PATCH /workspaces/ws-network answered 503: the service failed; run again later: SERVICE has a problem (5 tries)',
    tries: 5,
  },
  {
    name: 'a sign-in page',
    fault: { kind: 'html', status: 200 },
    error:
      'PATCH /workspaces/ws-network: answered 200 with an HTML page; check that SERVICE is the service itself and not a proxy or a sign-in page',
    tries: 1,
  },
  {
    name: 'a cut connection',
    fault: { kind: 'cut-before' },
    error:
      'PATCH /workspaces/ws-network: the connection was closed before the response was complete; check the address SERVICE and the connection to it (5 tries)',
    tries: 5,
  },
];

describe('apply with a failing write prints the plan, the result of each change, and the reason', () => {
  test.each(writes)(
    'apply with a failing write prints the plan, the result of each change, and the reason: $name',
    async ({ fault, error, tries }) => {
      const failure = await failing('apply --yes --quiet', { faults: [{ ...fault, method: 'PATCH' }] });
      expect(failure.text).toBe(`${plan}
Failed:
  ~ workspace.network
      ${error}

Applied: 0 created, 0 updated, 0 deleted, 1 failed. 0 calls completed.
exit 1
`);
      expect(failure.writes).toEqual(Array(tries).fill('PATCH /workspaces/ws-network'));
    },
  );

  test('apply --timeout fails a write that gets no response', async () => {
    const { text } = await failing('apply --yes --quiet --timeout 0.05', {
      faults: [{ kind: 'hang', method: 'PATCH' }],
    });
    expect(text).toContain(
      'PATCH /workspaces/ws-network: no response within 0.05 s; check the address SERVICE and the connection to it (5 tries), or set a longer --timeout\n',
    );
  });
});

describe('with --format json a failing write leaves exactly one document on stdout', () => {
  test.each(writes)(
    'with --format json a failing write leaves exactly one document on stdout: $name',
    async ({ fault, error }) => {
      const { stdout } = await failing('apply --yes --format json', {
        faults: [{ ...fault, method: 'PATCH' }],
      });
      const document = JSON.parse(stdout);
      expect(document).toMatchObject({
        format: 'attune.apply/1',
        changes: [
          {
            address: 'workspace.network',
            result: 'failed',
            callsDone: 0,
            error: { message: error, method: 'PATCH', path: '/workspaces/ws-network' },
          },
        ],
      });
      expect(document.changes[0].error.status).toBe(
        fault.kind === 'half-body' || fault.kind === 'cut-before' ? undefined : fault.status,
      );
    },
  );
});

test.each<[string, Fault]>([
  ['429', status(429, { nth: 1, reset: 2 })],
  ['503', status(503, { nth: 1 })],
  ['a connection cut before it took effect', { kind: 'cut-before', nth: 1 }],
  ['a connection cut after it took effect', { kind: 'cut-after', nth: 1 }],
  ['half a document', { kind: 'half-body', nth: 1 }],
])('apply counts a write that succeeds after %s as done', async (_name, fault) => {
  const { text, writes } = await failing('apply --yes --quiet', { faults: [{ ...fault, method: 'PATCH' }] });
  expect(text).toBe(`${plan}
Updated:
  ~ workspace.network

Applied: 0 created, 1 updated, 0 deleted. 1 call.
exit 0
`);
  expect(writes).toHaveLength(2);
});
