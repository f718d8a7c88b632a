import { expect, test } from 'vitest';
import type { Report } from '../../src/report/report.ts';
import type { CycleOutcome } from '../../src/run/cycle/outcome.ts';
import { createStatus, latestPage } from '../../src/watch/status.ts';
import { largePlan } from '../report/fixtures/large-plan.ts';

/** A cycle over organizations, of which the named ones fail. */
function cycle(...failing: readonly string[]): CycleOutcome {
  return {
    refused: [],
    organizations: ['a', 'b', 'c', 'd', 'e'].map((organization) => ({
      organization,
      roots: [],
      isSuccess: !failing.includes(organization),
      errors: [],
      oldestReadAge: () => 0,
    })),
  };
}

const all = ['a', 'b', 'c', 'd', 'e'];

test('a watch is ready although the token of one of five organizations is bad', () => {
  const status = createStatus('drift');
  expect(status.isReady()).toBe(false);
  for (let count = 0; count < 5; count += 1) {
    status.cycleEnded(cycle('c'), new Date(0));
    expect(status.isReady()).toBe(true);
  }
  expect(status.failures()).toBe(5);
});

test('a watch is unready before a cycle has worked for an organization, and after three that worked for none', () => {
  const status = createStatus('drift');
  status.cycleEnded(cycle(...all), new Date(0));
  expect(status.isReady()).toBe(false);
  status.cycleEnded(cycle(), new Date(0));
  const ready = [1, 2, 3].map(() => {
    status.cycleEnded(cycle(...all), new Date(0));
    return status.isReady();
  });
  expect(ready).toEqual([true, true, false]);
  status.cycleEnded(
    { refused: [{ diagnostics: [] }], organizations: [] } as unknown as CycleOutcome,
    new Date(0),
  );
  expect(status.isReady()).toBe(false);
  status.cycleEnded(cycle('a', 'b', 'c', 'd'), new Date(0));
  expect(status.isReady()).toBe(true);
});

test('the report of a watch has the reason of a failed cycle with the last state of its root file', () => {
  const status = createStatus('drift');
  const path = (file: string) => file;
  const entries = [{ file: 'a/attune.yaml', plan: largePlan({}), diagnostics: [], path }];
  const state = {
    entries,
    plans: [],
    applied: [],
    waiting: [],
    held: [],
    remaining: [],
    notTaken: new Set<string>(),
    readAt: new Date(0),
  };
  const [first, ...others] = cycle().organizations as [CycleOutcome['organizations'][number]];
  status.cycleEnded({ refused: [], organizations: [{ ...first, found: state }, ...others] }, new Date(0));
  const errorOf = (file: string) => ({
    file,
    diagnostics: [{ severity: 'error' as const, code: 'service-error', message: `no ${file}` }],
    path,
  });
  const errors = ['a/attune.yaml', 'a/other.yaml'].map(errorOf);
  status.cycleEnded({ refused: [], organizations: [{ ...first, errors }, ...others] }, new Date(60_000));
  const shown = status.report()?.entries.map(({ file, about, diagnostics }) => ({
    file,
    about,
    found: diagnostics.map(({ message }) => message),
  }));
  expect(shown).toEqual([
    { file: 'a/other.yaml', about: undefined, found: ['no a/other.yaml'] },
    {
      file: 'a/attune.yaml',
      about:
        'Read at 1970-01-01 00:00:00 UTC. The last cycle failed at 1970-01-01 00:01:00 UTC; this is the state before it.',
      found: ['no a/attune.yaml'],
    },
  ]);
});

test('the page of watch is rendered once per cycle, however often and at the same time it is requested', async () => {
  let report: Report | undefined;
  const rendered: Report[] = [];
  const page = latestPage({ report: () => report }, async (one) => {
    rendered.push(one);
    return `page ${rendered.length}`;
  });
  expect(await page()).toBeUndefined();
  const [first, second]: readonly Report[] = [
    { kind: 'drift', entries: [] },
    { kind: 'drift', entries: [] },
  ];
  report = first;
  const pages = await Promise.all([page(), page(), page()]);
  expect([...pages, await page()].map(String)).toEqual(['page 1', 'page 1', 'page 1', 'page 1']);
  report = second;
  expect(String(await page())).toBe('page 2');
  expect(rendered).toEqual([first, second]);
});
