import { expect, test } from 'vitest';
import type { Report } from '../../src/report/report.ts';
import type { CycleOutcome } from '../../src/run/cycle/create-cycle.ts';
import type { HealMode } from '../../src/run/cycle/heal.ts';
import { createHealth } from '../../src/watch/health.ts';
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
    })),
  };
}

const all = ['a', 'b', 'c', 'd', 'e'];

/** The health of a watch that reports only, and the reports that its page was rendered of. */
function health(interval = 600_000, heal: HealMode = 'none') {
  const rendered: Report[] = [];
  const render = async (report: Report) => {
    rendered.push(report);
    return `page ${rendered.length}`;
  };
  return { rendered, ...createHealth({ heal, interval, render }) };
}

test('a watch is ready although the token of one of five organizations is bad', () => {
  const status = health();
  expect(status.isReady()).toBe(false);
  for (let count = 0; count < 5; count += 1) {
    status.cycleEnded(cycle('c'), new Date(0));
    expect(status.isReady()).toBe(true);
  }
  expect(status.failures()).toBe(5);
});

test('a watch is unready before a cycle has worked for an organization, and after three that worked for none', () => {
  const status = health();
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

test('the page of a watch has the reason of a failed cycle with the last state of its root file', async () => {
  const status = health();
  const path = (file: string) => file;
  const entries = [{ file: 'a/attune.yaml', plan: largePlan({}), diagnostics: [], path }];
  const state = {
    entries,
    plans: [],
    applied: [],
    waiting: [],
    held: [],
    remaining: [],
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
  status.cycleEnded(
    { refused: [], organizations: [{ ...first, isSuccess: false, errors }, ...others] },
    new Date(60_000),
  );
  status.waitsUntil(new Date(660_000));
  await status.page();
  const [report] = status.rendered;
  expect(report?.failure).toBe('1970-01-01 00:01:00 UTC: no a/attune.yaml');
  expect(report?.about).toEqual([
    'Mode: reports only (--heal none), every 10 min.',
    'Next cycle: 1970-01-01 00:11:00 UTC.',
  ]);
  const shown = report?.entries.map(({ file, about, diagnostics }) => ({
    file,
    about,
    found: diagnostics.map(({ message }) => message),
  }));
  expect(shown).toEqual([
    { file: 'a/other.yaml', about: undefined, found: ['no a/other.yaml'] },
    {
      file: 'a/attune.yaml',
      about: 'Read at 1970-01-01 00:00:00 UTC. The last cycle failed; this is the state before it.',
      found: ['no a/attune.yaml'],
    },
  ]);
});

test('the page of watch is rendered once per cycle, however often and at the same time it is requested', async () => {
  const { page, cycleEnded, rendered } = health();
  expect(await page()).toBeUndefined();
  cycleEnded(cycle(), new Date(0));
  const pages = await Promise.all([page(), page(), page()]);
  expect([...pages, await page()].map(String)).toEqual(['page 1', 'page 1', 'page 1', 'page 1']);
  cycleEnded(cycle(), new Date(60_000));
  expect(String(await page())).toBe('page 2');
  expect(rendered).toHaveLength(2);
});

test.each([
  [5000, 'none', 'reports only (--heal none), every 5 s'],
  [90_000, 'update', 'applies updates (--heal update), every 90 s'],
  [150_000, 'all', 'applies all changes (--heal all), every 2.5 min'],
] as const)('the page shows an interval of %d ms and --heal %s as %s', async (interval, heal, shown) => {
  const status = health(interval, heal);
  status.cycleEnded(cycle(), new Date(0));
  await status.page();
  expect(status.rendered[0]?.about?.[0]).toBe(`Mode: ${shown}.`);
});
