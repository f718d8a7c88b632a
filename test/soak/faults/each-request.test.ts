import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Emulator,
  type EmulatorOptions,
  type Fault,
  startEmulator,
} from '../../../src/emulator/index.ts';
import { attune } from '../../support/attune.ts';
import { count, sample } from '../../support/cases.ts';
import { jumpingClock } from '../../support/fake-clock.ts';
import { configurationFolder } from './configuration-folder.ts';
import { liveSide } from './mixed-apply.ts';
import { organizationState } from './organization-state.ts';

/** Everything that can happen to a request. */
const faults: Readonly<Record<string, Fault>> = {
  'the connection is cut before it takes effect': { kind: 'cut-before' },
  'the connection is cut after it took effect': { kind: 'cut-after' },
  'half of the answer arrives': { kind: 'half-body' },
  'no answer comes in time': { kind: 'hang' },
  'a proxy answers 502 with a page': { kind: 'html' },
  'a proxy answers 200 with a page': { kind: 'html', status: 200 },
  'the service answers 429': { kind: 'status', status: 429, reset: 0.5 },
  'the service answers 500': { kind: 'status', status: 500 },
  'the service answers 502': { kind: 'status', status: 502 },
  'the service answers 503': { kind: 'status', status: 503 },
  'the service answers 504': { kind: 'status', status: 504 },
};

const organization: EmulatorOptions = { seed: { organization: 'acme', ...liveSide } };

let folder: string;
/** What the service holds after an apply that nothing happens to, and how many requests it takes. */
let reference: unknown;
let requests: number;

beforeAll(async () => {
  folder = await configurationFolder();
  const service = await startEmulator(organization);
  const { code } = await run(service, 'apply', '--yes');
  if (code !== 0) throw new Error('the apply that all others are held against failed');
  requests = service.requests.length;
  reference = await organizationState(service);
  await service.stop();
});
afterAll(() => rm(folder, { recursive: true }));

test.each(Object.entries(faults))(
  'when %s during any request of an apply, the report is true and the next run completes the apply',
  async (_, fault) => {
    const each = Array.from({ length: requests }, (_unused, index) => index + 1);
    // A request without an answer takes its timeout in real time.
    const chosen = fault.kind === 'hang' ? sample(each, 12) : each;
    for (const nth of chosen) {
      count('faults tried');
      await surviveOne({ ...fault, nth });
      count('faults survived');
    }
  },
);

test.each(['cut-before', 'cut-after', 'html'] as const)(
  'when every request from any point on ends in %s, the report claims no change that was not made',
  async (kind) => {
    const each = Array.from({ length: requests }, (_unused, index) => index + 1);
    for (const nth of sample(each, 10)) {
      count('faults tried');
      await surviveOne({ kind, nth, times: 1_000_000 }, expectNothingClaimed);
      count('faults survived');
    }
  },
);

async function surviveOne(fault: Fault, expectReport = expectTrueReport): Promise<void> {
  const service = await startEmulator({ ...organization, faults: [fault] });
  try {
    const first = await run(service, 'apply', '--yes');
    const wrote = service.requests.some(({ method }) => method !== 'GET');
    service.setFaults([]);
    const left = await changesOf(await run(service, 'plan'));
    expectReport(first, { left, wrote });

    if (left.length > 0) {
      const second = await run(service, 'apply', '--yes');
      expect(second.code, second.stderr).toBe(0);
      expect(await changesOf(await run(service, 'plan'))).toEqual([]);
    }
    expect(await organizationState(service)).toEqual(reference);
  } catch (error) {
    throw new Error(`after ${JSON.stringify(fault)}: ${(error as Error).message}`, { cause: error });
  } finally {
    await service.stop();
  }
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One call at a time, so that the same fault hits the same request in every run. */
function run(service: Emulator, ...argv: readonly string[]): Promise<Ran> {
  return attune(
    [...argv, '--format', 'json', '--parallelism', '1', '--timeout', '1', '--address', service.url],
    {
      cwd: folder,
      env: { ATTUNE_TOKEN: 'test-token' },
      clock: jumpingClock(0.5),
    },
  );
}

interface ReportedChange {
  readonly address: string;
  readonly result?: string;
  readonly error?: { readonly message: string };
}

function changesOf({ stdout }: Ran): readonly string[] {
  return (JSON.parse(stdout).changes as readonly ReportedChange[]).map(({ address }) => address);
}

interface Aftermath {
  /** What the next plan would change. */
  readonly left: readonly string[];
  /** Whether any write reached the service. */
  readonly wrote: boolean;
}

/** Changes that are reported as done are live, and failed or skipped ones are still planned, and no others. */
function expectTrueReport({ code, stdout, stderr }: Ran, { left, wrote }: Aftermath): void {
  const report = JSON.parse(stdout) as { format: string; changes?: readonly ReportedChange[] };
  expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at .*:\d+:\d+/);
  if (report.format === 'attune.diagnostics/1') {
    expect([code, wrote]).toEqual([1, false]);
    return;
  }
  const changes = report.changes ?? [];
  const undone = changes.filter(({ result }) => result !== 'done');
  expect(undone.map(({ address }) => address).sort()).toEqual([...left].sort());
  expect(undone.filter(({ error }) => !error?.message)).toEqual([]);
  expect(code).toBe(undone.length > 0 ? 1 : 0);
}

/** Without a response, the effect of a write is unknown: no change is wrongly reported as done. */
function expectNothingClaimed({ code, stdout }: Ran, { left }: Aftermath): void {
  const { changes = [] } = JSON.parse(stdout) as { changes?: readonly ReportedChange[] };
  const done = changes.filter(({ result }) => result === 'done').map(({ address }) => address);
  expect(done.filter((address) => left.includes(address))).toEqual([]);
  expect(code).toBe(1);
}
