import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  type Emulator,
  type EmulatorOptions,
  type Fault,
  startEmulator,
} from '../../../src/emulator/index.ts';
import { attune } from '../../support/attune.ts';
import { count } from '../../support/cases.ts';
import { jumpingClock } from '../../support/fake-clock.ts';
import { configurationFolder } from './configuration-folder.ts';
import { liveSide } from './mixed-apply.ts';
import { organizationState } from './organization-state.ts';

const organization: EmulatorOptions = { seed: { organization: 'acme', ...liveSide } };

let folder: string;
/** What the service holds after an apply that nothing happens to, and how many requests it takes. */
let reference: unknown;
let requests: readonly string[];

beforeAll(async () => {
  folder = await configurationFolder();
  const service = await startEmulator(organization);
  const { code } = await run(service, 'apply', '--yes');
  if (code !== 0) throw new Error('the apply that all others are held against failed');
  requests = service.requests.map(({ method }) => method);
  reference = await organizationState(service);
  await service.stop();
});
afterAll(() => rm(folder, { recursive: true }));

/** The positions of the requests of the apply. They are known when the tests run. */
export function eachRequest(): readonly number[] {
  return requests.map((_method, index) => index + 1);
}

/** The positions of those that write. */
export function eachWrite(): readonly number[] {
  return eachRequest().filter((nth) => requests[nth - 1] !== 'GET');
}

/**
 * Applies with faults, and checks the report, the plan after it, and the state after the next apply.
 *
 * @param expectReport Checks what the apply with the faults reports.
 */
export async function survive(
  faults: Fault | readonly Fault[],
  expectReport = expectTrueReport,
): Promise<void> {
  count('faults tried');
  const service = await startEmulator({ ...organization, faults: [faults].flat() });
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
    count('faults survived');
  } catch (error) {
    throw new Error(`after ${JSON.stringify(faults)}: ${(error as Error).message}`, { cause: error });
  } finally {
    await service.stop();
  }
}

export interface Ran {
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

export interface ReportedChange {
  readonly address: string;
  readonly result?: string;
  readonly error?: { readonly message: string; readonly code?: string };
}

export function changesIn({ stdout }: Ran): readonly ReportedChange[] {
  return (JSON.parse(stdout).changes ?? []) as readonly ReportedChange[];
}

function changesOf({ stdout }: Ran): readonly string[] {
  return (JSON.parse(stdout).changes as readonly ReportedChange[]).map(({ address }) => address);
}

export interface Aftermath {
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
