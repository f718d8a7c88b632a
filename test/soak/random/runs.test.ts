import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Emulator, type Fault, type RequestEntry, startEmulator } from '../../../src/emulator/index.ts';
import { dialects } from '../../../src/model/dialect.ts';
import { guardSelects, type Selector } from '../../../src/model/selector.ts';
import { type LiveFacts, liveFacts } from '../../properties/live-facts.ts';
import { attune, folderWith, type Ran } from '../../support/attune.ts';
import { cases, count } from '../../support/cases.ts';
import { jumpingClock } from '../../support/fake-clock.ts';
import { forgiven } from '../../undo/forgiven.ts';
import { type LiveState, liveState } from '../../undo/live-state.ts';
import { changesIn, codesIn, falseClaims, inShort } from './claims.ts';
import { type Course, courses } from './draw.ts';
import { perform } from './second-actor.ts';

const diagnostics = await readFile(
  join(import.meta.dirname, '..', '..', '..', 'docs', 'diagnostics.md'),
  'utf8',
);
const known = new Set([...diagnostics.matchAll(/^\| `([\w-]+)`/gm)].map(([, code]) => code));

test.each(dialects)(
  'a random run with a second actor, lost answers and a signal is reported as it was written and can be undone in the %s dialect',
  async (dialect) => {
    const folder = await folderWith({});
    const seen = { applied: 0, undone: 0 };
    const property = async (course: Course) => {
      await rm(join(folder, '.attune'), { recursive: true, force: true });
      await rm(join(folder, 'plan.json'), { force: true });
      for (const [name, content] of Object.entries(course.files))
        await writeFile(join(folder, name), JSON.stringify(content));
      const log = { writes: 0, stop: new AbortController() };
      const service = await startEmulator({
        seed: course.seed as never,
        dialect,
        edition: 'self-hosted',
        log: ({ method }) => {
          if (method !== 'GET' && ++log.writes === course.signalAt) log.stop.abort();
        },
      });
      try {
        await runCourse(course, { folder, service, log, seen });
      } finally {
        await service.stop();
      }
    };
    // A smaller case of a failure would take many runs.
    await fc.assert(fc.asyncProperty(courses(dialect), property), { ...cases(25), endOnFailure: true });
    count('random runs applied', seen.applied);
    count('random runs undone', seen.undone);
    expect(seen.applied).toBeGreaterThan(0);
  },
);

interface Place {
  readonly folder: string;
  readonly service: Emulator;
  readonly log: { writes: number; stop: AbortController };
  readonly seen: { applied: number; undone: number };
}

async function runCourse(course: Course, { folder, service, log, seen }: Place): Promise<void> {
  const { dialect, files, acts, isSaved, faults } = course;
  const roots = Object.keys(files);
  let printed = '';
  const run = async (argv: readonly string[], answer?: () => Promise<string>): Promise<Ran> => {
    service.clearRequests();
    const { stop } = log;
    const ran = await attune([...argv, '--address', service.url], {
      cwd: folder,
      env: { ATTUNE_TOKEN: 'test-token' },
      clock: jumpingClock(),
      interrupts: {
        stop: stop.signal,
        exitCode: () => (stop.signal.aborted ? 143 : undefined),
        release: () => {},
      },
      ...(answer && { answer }),
    });
    printed += `$ ${argv.join(' ')}: ${ran.code}\n${argv.includes('json') ? inShort(ran.stdout) : ran.stdout}${ran.stderr}\n`;
    for (const code of codesIn(argv.includes('json') ? ran : { ...ran, stdout: '' }))
      expect(known, printed).toContain(code);
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/internal error|error\[internal\]|\n\s+at .*:\d+:\d+/);
    return ran;
  };
  const state = () => liveState({ url: service.url, dialect });
  const unwritten = () =>
    expect(
      service.requests.filter(({ method }) => method !== 'GET'),
      printed,
    ).toEqual([]);

  const before = await state();
  const flags = ['--format', 'json', '--quiet'];
  const planned = await run(['plan', ...roots, ...flags, ...(isSaved ? ['--out', 'plan.json'] : [])]);
  unwritten();
  if (planned.code === 1) return;

  let met = before;
  const listed = await liveFacts(service.url);
  let facts = listed;
  const act = async () => {
    await perform(acts, service.url);
    met = await state();
    facts = await liveFacts(service.url);
    service.clearRequests();
    service.setFaults(faults.apply);
    log.writes = 0;
    return 'yes';
  };
  if (isSaved) await act();
  const argv = ['apply', ...(isSaved ? [...roots, '--plan', 'plan.json', '--yes'] : roots), ...flags];
  const applied = await run([...argv, '--parallelism', `${course.parallelism}`], isSaved ? undefined : act);
  const requests = [...service.requests];
  const isStopped = log.stop.signal.aborted;
  service.setFaults([]);
  log.stop = new AbortController();
  log.writes = Number.NEGATIVE_INFINITY;
  const left = await liveFacts(service.url);
  const changes = changesIn(applied.stdout).filter(({ result }) => result !== undefined);
  const ids = new Map([...facts.workspaces, ...left.workspaces].map(({ name, id }) => [name, id]));
  const isHalfRead = faults.apply.some(({ kind }) => kind === 'half-body' || kind === 'html');
  expect(falseClaims({ changes, requests, ids, isHalfRead }), printed).toEqual([]);
  // A workspace that the other user renames is still the one of the plan.
  expect(foreignWrites(course, listed, requests), printed).toEqual([]);
  const isWhole = changes.every(({ result }) => result === 'done');
  if (changes.length > 0 && !isStopped) expect(applied.code === 0, printed).toBe(isWhole);
  expectKept(course, facts, left, printed);
  if (changes.length > 0) seen.applied += 1;

  const again = await run(['apply', ...roots, ...flags, '--yes']);
  expectKept(course, facts, await liveFacts(service.url), printed);
  if (again.code === 0) {
    const quiet = await run(['plan', ...roots, ...flags]);
    expect(changesIn(quiet.stdout), printed).toEqual([]);
    await run(['apply', ...roots, ...flags, '--yes']);
    unwritten();
  } else if (changesIn(again.stdout).length > 0) {
    // A locked workspace cannot be deleted safely.
    const failed = changesIn(again.stdout).filter(
      ({ result, error }) => (result === 'failed' || result === 'partial') && error?.status !== 409,
    );
    expect(failed, printed).toEqual([]);
  }
  const isUndone = await undoAll(run, { folder, course, setFaults: (list) => service.setFaults(list) });
  expectRestored({ before, met, restored: await state(), isWhole: isUndone, printed });
  seen.undone += 1;
}

/** Protected workspaces are there, and no workspace that nothing declares or prunes has changed. */
function expectKept(course: Course, facts: LiveFacts, left: LiveFacts, printed: string): void {
  const ids = new Set(left.workspaces.map(({ id }) => id));
  const selectors = protectedOf(course);
  const gone = facts.workspaces.filter(
    (one) => !ids.has(one.id) && selectors.some((selector) => guardSelects(selector, one)),
  );
  expect(gone, printed).toEqual([]);
  const names = left.workspaces.map(({ name }) => name);
  expect(new Set(names).size, printed).toBe(names.length);
}

function protectedOf({ files }: Course): readonly Selector[] {
  const guards = Object.values(files).flatMap(({ guards: own }) =>
    own ? [own as { protect?: unknown[] }] : [],
  );
  return guards.flatMap(({ protect = [] }) =>
    protect.map((entry) => (typeof entry === 'string' ? { name: entry } : (entry as Selector))),
  );
}

/** Writes to workspaces that no root file declares and that no rule prunes. */
function foreignWrites(
  course: Course,
  { workspaces }: LiveFacts,
  requests: readonly RequestEntry[],
): string[] {
  const roots = Object.values(course.files);
  if (roots.some(({ prune }) => prune !== undefined)) return [];
  const declared = roots.flatMap(({ workspaces: own = {} }) =>
    Object.entries(own as Record<string, Record<string, unknown>>),
  );
  const owned = new Set(declared.flatMap(([name, values]) => [name, values['renamed-from']]));
  const foreign = workspaces.filter(({ name }) => !owned.has(name)).map(({ id }) => id);
  return requests
    .filter(({ method, path }) => method !== 'GET' && foreign.some((id) => path.split('/').includes(id)))
    .map(({ method, path }) => `${method} ${path}`);
}

type Run = (argv: readonly string[]) => Promise<Ran>;

interface Undo {
  readonly folder: string;
  readonly course: Course;
  readonly setFaults: (faults: readonly Fault[]) => void;
}

/**
 * Undoes the journals of the runs, the last one first, and repeats each undo until it is complete. The undos keep
 * journals: only these show what an undo created again.
 */
async function undoAll(run: Run, { folder, course, setFaults }: Undo): Promise<boolean> {
  const journals = await readdir(join(folder, '.attune', 'journal')).catch(() => []);
  let isWhole = true;
  for (const journal of journals.sort().reverse()) {
    let last: Ran | undefined;
    for (let tries = 0; tries < 4 && last?.code !== 0; tries += 1) {
      setFaults(tries === 0 ? course.faults.undo : []);
      last = await run(['undo', `.attune/journal/${journal}`, '--yes']);
    }
    setFaults([]);
    isWhole &&= last?.code === 0;
  }
  return isWhole;
}

interface Restored {
  readonly before: LiveState;
  /** With what the other user did. */
  readonly met: LiveState;
  readonly restored: LiveState;
  readonly isWhole: boolean;
  readonly printed: string;
}

/** What only the runs changed is as it was, or reported. */
function expectRestored({ before, met, restored, isWhole, printed }: Restored): void {
  const theirs = Object.keys({ ...before, ...met }).filter(
    (address) => JSON.stringify(before[address]) !== JSON.stringify(met[address]),
  );
  const [expected, found] = [forgiven(met, printed), forgiven(restored, printed)];
  if (theirs.length === 0) {
    expect(isWhole, printed).toBe(true);
    expect(found, printed).toEqual(expected);
    return;
  }
  const differing = Object.keys({ ...expected, ...found }).filter(
    (address) =>
      !theirs.includes(address) && JSON.stringify(expected[address]) !== JSON.stringify(found[address]),
  );
  const reports = printed.slice(printed.indexOf('$ undo'));
  expect(
    differing.filter((address) => !reports.includes(address)),
    printed,
  ).toEqual([]);
}
