import { expect, test } from 'vitest';
import type { Fault } from '../../../src/emulator/index.ts';
import { sample } from '../../support/cases.ts';
import { type Aftermath, changesIn, eachRequest, eachWrite, type Ran, survive } from './survive.ts';

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
    const chosen = sample(eachRequest(), fault.kind === 'hang' ? 12 : 30);
    for (const nth of chosen) await survive({ ...fault, nth });
  },
);

test.each(['cut-before', 'cut-after', 'half-body', 'html'] as const)(
  'when any write of an apply ends in %s and the next request is refused, no change is reported wrongly',
  async (kind) => {
    for (const status of [403, 409, 422])
      for (const nth of sample(eachWrite(), 5))
        await survive(
          [
            { kind, nth },
            { kind: 'status', status, nth: nth + 1 },
          ],
          expectNoFalseReport,
        );
  },
);

/** A done change is live, and one that is not done is still planned, unless it is reported as unknown. */
function expectNoFalseReport(ran: Ran, { left }: Aftermath): void {
  for (const { address, result, error } of changesIn(ran)) {
    if (result === 'done') expect(left).not.toContain(address);
    else if (error?.code !== 'unknown-effect') expect(left).toContain(address);
  }
}

test.each(['cut-before', 'cut-after', 'html'] as const)(
  'when every request from any point on ends in %s, the report claims no change that was not made',
  async (kind) => {
    for (const nth of sample(eachRequest(), 10))
      await survive({ kind, nth, times: 1_000_000 }, expectNothingClaimed);
  },
);

/** Without a response, the effect of a write is unknown: no change is wrongly reported as done. */
function expectNothingClaimed(ran: Ran, { left }: Aftermath): void {
  const done = changesIn(ran)
    .filter(({ result }) => result === 'done')
    .map(({ address }) => address);
  expect(done.filter((address) => left.includes(address))).toEqual([]);
  expect(ran.code).toBe(1);
}
