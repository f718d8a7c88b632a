import { expect, test } from 'vitest';
import { type Emulator, type Fault, startEmulator } from '../../../src/emulator/index.ts';
import { attune, folderWith, type Ran } from '../../support/attune.ts';
import { count, sample } from '../../support/cases.ts';
import { jumpingClock } from '../../support/fake-clock.ts';
import { filesOf, seedOf } from '../../undo/every-change.ts';
import { liveState } from '../../undo/live-state.ts';

const dialect = 'terraform';
/** The service deletes no locked workspace. */
const { old, ...others } = seedOf(dialect).workspaces;
const seed = { ...seedOf(dialect), workspaces: { ...others, old: { ...old, locked: false } } };

/** What the service has after an apply without faults, and the methods of its requests. */
let clean: ReturnType<typeof applied> | undefined;
function applyOnce(): ReturnType<typeof applied> {
  clean ??= applied();
  return clean;
}

async function applied() {
  const service = await serve();
  const { code, stderr } = await runner(service)('apply', '--yes');
  expect(code, stderr).toBe(0);
  const methods = service.requests.map(({ method }) => method);
  const reference = await liveState({ url: service.url, dialect });
  await service.stop();
  return { methods, reference };
}

/** The positions of the requests of the apply, all or those that write. */
async function positions(what: 'all' | 'writes' = 'all'): Promise<readonly number[]> {
  const { methods } = await applyOnce();
  return methods.flatMap((method, index) => (what === 'all' || method !== 'GET' ? [index + 1] : []));
}

function serve(faults: readonly Fault[] = []): Promise<Emulator> {
  return startEmulator({ dialect, edition: 'self-hosted', seed: seed as never, faults });
}

/** One call at a time, so that the same fault hits the same request in every run. */
function runner({ url }: Emulator): (...argv: readonly string[]) => Promise<Ran> {
  const folder = folderWith({ 'attune.yaml': filesOf(dialect) });
  const flags = ['--format', 'json', '--parallelism', '1', '--timeout', '1', '--address', url];
  const env = { ATTUNE_TOKEN: 'test-token' };
  return async (...argv) => attune([...argv, ...flags], { cwd: await folder, env, clock: jumpingClock(0.5) });
}

interface ReportedChange {
  readonly address: string;
  readonly result?: string;
  readonly error?: { readonly message: string; readonly code?: string };
}

function changesIn({ stdout }: Ran): readonly ReportedChange[] {
  return JSON.parse(stdout).changes ?? [];
}

interface Aftermath {
  /** What the next plan would change. */
  readonly left: readonly string[];
  /** Whether any write reached the service. */
  readonly wrote: boolean;
}

/** Applies with faults, and checks the report, the plan after it, and the state after the next apply. */
async function survive(faults: readonly Fault[], expectReport = expectTrueReport): Promise<void> {
  count('faults tried');
  const { reference } = await applyOnce();
  const service = await serve(faults);
  const run = runner(service);
  try {
    const first = await run('apply', '--yes');
    const wrote = service.requests.some(({ method }) => method !== 'GET');
    service.setFaults([]);
    const left = changesIn(await run('plan')).map(({ address }) => address);
    expectReport(first, { left, wrote });
    const second = await run('apply', '--yes');
    expect(second.code, second.stderr).toBe(0);
    expect(changesIn(await run('plan'))).toEqual([]);
    expect(await liveState({ url: service.url, dialect })).toEqual(reference);
    count('faults survived');
  } catch (error) {
    throw new Error(`after ${JSON.stringify(faults)}: ${(error as Error).message}`, { cause: error });
  } finally {
    await service.stop();
  }
}

/** Changes that are reported as done are live, and failed or skipped ones are still planned, and no others. */
function expectTrueReport(ran: Ran, { left, wrote }: Aftermath): void {
  expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/\n\s+at .*:\d+:\d+/);
  if (JSON.parse(ran.stdout).format === 'attune.diagnostics/1') {
    expect([ran.code, wrote]).toEqual([1, false]);
    return;
  }
  const undone = changesIn(ran).filter(({ result }) => result !== 'done');
  expect(undone.map(({ address }) => address).sort()).toEqual([...left].sort());
  expect(undone.filter(({ error }) => !error?.message)).toEqual([]);
  expect(ran.code).toBe(undone.length > 0 ? 1 : 0);
}

const faults: Readonly<Record<string, Fault>> = {
  'the connection is cut before it takes effect': { kind: 'cut-before' },
  'the connection is cut after it took effect': { kind: 'cut-after' },
  'half of the answer arrives': { kind: 'half-body' },
  'no answer comes in time': { kind: 'hang' },
  'a proxy answers 502 with a page': { kind: 'html' },
  'a proxy answers 200 with a page': { kind: 'html', status: 200 },
  ...Object.fromEntries(
    [429, 500, 502, 503, 504].map((status) => [`the service answers ${status}`, { kind: 'status', status }]),
  ),
};

test.each(Object.entries(faults))(
  'when %s during any request of an apply, the report is true and the next run completes the apply',
  async (_, fault) => {
    // A request without an answer takes its timeout in real time.
    const chosen = sample(await positions(), fault.kind === 'hang' ? 12 : 30);
    for (const nth of chosen) await survive([{ ...fault, nth }]);
  },
);

test.each(['cut-before', 'cut-after', 'half-body', 'html'] as const)(
  'when any write of an apply ends in %s and the next request is refused, no change is reported wrongly',
  async (kind) => {
    for (const status of [403, 409, 422])
      for (const nth of sample(await positions('writes'), 5))
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
    for (const nth of sample(await positions(), 10))
      await survive([{ kind, nth, times: 1_000_000 }], (ran, { left }) => {
        const done = changesIn(ran).filter(({ result }) => result === 'done');
        expect(done.filter(({ address }) => left.includes(address))).toEqual([]);
        expect(ran.code).toBe(1);
      });
  },
);
