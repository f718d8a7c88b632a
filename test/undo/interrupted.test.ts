import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Fault, startEmulator } from '../../src/emulator/index.ts';
import { type Dialect, dialects } from '../../src/model/dialect.ts';
import { attune, folderWith, type Ran } from '../support/attune.ts';
import { isSoak, sample } from '../support/cases.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { filesOf, seedOf } from './every-change.ts';
import { type LiveState, liveState } from './live-state.ts';

/** What ends a run at one of its requests, and what becomes of the requests after it. */
const ends: Readonly<Record<string, (nth: number) => readonly Fault[]>> = {
  'is lost with all requests after it': (nth) => [{ kind: 'cut-before', nth, times: 1000 }],
  'takes effect, and all requests after it are lost': (nth) => [
    { kind: 'cut-after', nth },
    { kind: 'cut-before', nth: nth + 1, times: 1000 },
  ],
  'takes effect without an answer': (nth) => [{ kind: 'cut-after', nth }],
  'takes effect, and all requests after it are refused': (nth) => [
    { kind: 'cut-after', nth },
    { kind: 'status', status: 403, nth: nth + 1, times: 1000 },
  ],
  'is refused': (nth) => [{ kind: 'status', status: 422, nth }],
  'is refused with all requests after it': (nth) => [{ kind: 'status', status: 422, nth, times: 1000 }],
};

/** The fast tier tries two ends of each command, by their places. */
const tried = { undo: [0, 4], apply: [2, 3] };
const endsOf = (command: keyof typeof tried) =>
  Object.entries(ends).filter((_, index) => isSoak || tried[command].includes(index));

/** The positions that a tier tries: one in the fast tier. Each end begins with another one. */
function chosen(positions: readonly number[], end: (nth: number) => readonly Fault[]): readonly number[] {
  const all = Object.values(ends);
  const first = Math.floor((all.indexOf(end) * positions.length) / all.length);
  return sample([...positions.slice(first), ...positions.slice(0, first)], isSoak ? positions.length : 1);
}

interface Course {
  readonly before: LiveState;
  readonly restored: LiveState;
  /** The positions of the requests that wrote, without faults. */
  readonly writes: { readonly apply: readonly number[]; readonly undo: readonly number[] };
  readonly printed: string;
}

/** Applies and undoes, each with its faults, and repeats the undo until it is complete. */
async function course(
  dialect: Dialect,
  { apply = [], undo = [] }: { readonly apply?: readonly Fault[]; readonly undo?: readonly Fault[] } = {},
): Promise<Course> {
  const folder = await folderWith({ 'attune.yaml': filesOf(dialect) });
  const service = await startEmulator({ seed: seedOf(dialect) as never, dialect, edition: 'self-hosted' });
  try {
    let printed = '';
    const go = async (...argv: readonly string[]): Promise<Ran> => {
      service.clearRequests();
      const ran = await attune([...argv, '--yes', '--address', service.url, '--parallelism', '1'], {
        cwd: folder,
        env: { ATTUNE_TOKEN: 'test-token' },
        clock: jumpingClock(),
      });
      printed += ran.stdout + ran.stderr;
      return ran;
    };
    const writes = () =>
      service.requests.flatMap(({ method }, index) => (method === 'GET' ? [] : [index + 1]));
    const before = await liveState({ url: service.url, dialect });
    service.setFaults(apply);
    await go('apply', '--journal', 'run.jsonl');
    const applied = writes();
    service.setFaults(undo);
    let last = await go('undo', 'run.jsonl', '--no-journal');
    const undone = writes();
    service.setFaults([]);
    for (let repeated = 0; repeated < 3 && last.code !== 0; repeated += 1)
      last = await go('undo', 'run.jsonl', '--no-journal');
    expect(last.code, printed).toBe(0);
    const restored = await liveState({ url: service.url, dialect });
    return { before, restored, writes: { apply: applied, undo: undone }, printed };
  } finally {
    await service.stop();
    await rm(join(folder, 'run.jsonl'), { force: true });
  }
}

// The terraform dialect has more kinds of calls. The soak tier runs both.
describe.each(isSoak ? dialects : (['terraform'] as const))('in the %s dialect', (dialect) => {
  let clean: Promise<Course> | undefined;
  const cleanWrites = async () => {
    clean ??= course(dialect);
    return (await clean).writes;
  };
  const expectRestored = async (faults: Parameters<typeof course>[1]) => {
    const { before, restored, printed } = await course(dialect, faults);
    expect(restored, JSON.stringify(faults) + printed).toEqual(before);
  };

  test.each(endsOf('undo'))(
    `an undo in which a call %s is completed by repeating it in the ${dialect} dialect`,
    async (_how, faultsAt) => {
      const { undo } = await cleanWrites();
      for (const nth of chosen(undo, faultsAt)) await expectRestored({ undo: faultsAt(nth) });
    },
  );

  test.each(endsOf('apply'))(
    `an apply in which a call %s can be undone in the ${dialect} dialect`,
    async (_how, faultsAt) => {
      const { apply } = await cleanWrites();
      for (const nth of chosen(apply, faultsAt)) await expectRestored({ apply: faultsAt(nth) });
    },
  );

  test(`an interrupted undo of an interrupted apply is completed by repeating it in the ${dialect} dialect`, async () => {
    const { apply, undo } = await cleanWrites();
    const all = Object.values(ends);
    const pairs = apply.flatMap((first) => undo.map((second) => [first, second] as const));
    for (const [index, [first, second]] of sample(pairs, isSoak ? 40 : 1).entries())
      await expectRestored({
        apply: all[index % all.length]?.(first) ?? [],
        undo: all[(index * 5 + 1) % all.length]?.(second) ?? [],
      });
  });
});
