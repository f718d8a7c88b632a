import { expect, test } from 'vitest';
import type { Fault } from '../../../src/emulator/index.ts';
import { sample } from '../../support/cases.ts';
import { type Aftermath, eachRequest, type Ran, survive } from './survive.ts';

/** Whatever can happen to a request besides the errors of each-status.test.ts. */
const faults: Readonly<Record<string, Fault>> = {
  'the connection is cut before it takes effect': { kind: 'cut-before' },
  'the connection is cut after it took effect': { kind: 'cut-after' },
  'half of the answer arrives': { kind: 'half-body' },
  'no answer comes in time': { kind: 'hang' },
  'a proxy answers 502 with a page': { kind: 'html' },
  'a proxy answers 200 with a page': { kind: 'html', status: 200 },
};

test.each(Object.entries(faults))(
  'when %s during any request of an apply, the report is true and the next run completes the apply',
  async (_, fault) => {
    // A request without an answer takes its timeout in real time.
    const chosen = fault.kind === 'hang' ? sample(eachRequest(), 12) : eachRequest();
    for (const nth of chosen) await survive({ ...fault, nth });
  },
);

test.each(['cut-before', 'cut-after', 'html'] as const)(
  'when every request from any point on ends in %s, the report claims no change that was not made',
  async (kind) => {
    for (const nth of sample(eachRequest(), 10))
      await survive({ kind, nth, times: 1_000_000 }, expectNothingClaimed);
  },
);

/** Without a response, the effect of a write is unknown: no change is wrongly reported as done. */
function expectNothingClaimed({ code, stdout }: Ran, { left }: Aftermath): void {
  const { changes = [] } = JSON.parse(stdout) as {
    changes?: readonly { readonly address: string; readonly result?: string }[];
  };
  const done = changes.filter(({ result }) => result === 'done').map(({ address }) => address);
  expect(done.filter((address) => left.includes(address))).toEqual([]);
  expect(code).toBe(1);
}
