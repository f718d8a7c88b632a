import { expect, test } from 'vitest';
import type { Report } from '../../src/report/report.ts';
import { renderSarif } from '../../src/report/sarif.ts';
import { hostileReports } from './fixtures/hostile-plan.ts';
import { largeReport } from './fixtures/large-plan.ts';

/** As much of the format as is relied on; the parts are named as in SARIF 2.1.0, chapter 3. */
interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations?: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number; readonly startColumn: number };
    };
  }[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
}

function run(report: Report) {
  const log = JSON.parse(renderSarif(report));
  expect(log.version).toBe('2.1.0');
  expect(log.runs).toHaveLength(1);
  const [{ tool, results }] = log.runs;
  return { rules: tool.driver.rules as { id: string }[], results: results as Result[] };
}

test.each(['validate', 'plan', 'drift', 'apply'] as const)(
  'the SARIF results of %s refer to rules and files',
  async (kind) => {
    const { rules, results } = run((await hostileReports())[kind]);
    expect(results.length).toBeGreaterThan(0);
    for (const { ruleId, ruleIndex, level, message, locations } of results) {
      expect(rules[ruleIndex]?.id).toBe(ruleId);
      expect(['error', 'warning', 'note']).toContain(level);
      expect(message.text).not.toBe('');
      for (const { physicalLocation } of locations ?? []) {
        // No scheme, no host, nothing absolute; and a URI to begin with.
        const url = new URL(physicalLocation.artifactLocation.uri, 'https://base.example/root/');
        expect(url.href).toMatch(/^https:\/\/base\.example\/root\/infra\/[^?#]+$/);
        expect(physicalLocation.region.startLine).toBeGreaterThan(0);
        expect(physicalLocation.region.startColumn).toBeGreaterThan(0);
      }
    }
    const prints = results.map(({ partialFingerprints }) => partialFingerprints['attune/v1']);
    expect(new Set(prints).size).toBe(prints.length);
  },
);

test('the SARIF report has changes of a plan as notes, risks as warnings, and changes of a drift report as warnings', () => {
  const levels = (kind: Report['kind'], autoApply = true) =>
    run(withAutoApply(largeReport({ create: 1, update: 1, delete: 1 }, kind), autoApply)).results.map(
      ({ ruleId, level }) => `${ruleId} ${level}`,
    );
  expect(levels('plan')).toEqual(['change-create warning', 'change-update warning', 'change-delete warning']);
  expect(levels('plan', false)).toEqual([
    'change-create note',
    'change-update note',
    'change-delete warning',
  ]);
  expect(levels('drift')).toEqual([
    'change-create warning',
    'change-update warning',
    'change-delete warning',
  ]);
});

function withAutoApply(report: Report, autoApply: boolean): Report {
  const entries = report.entries.flatMap((entry) => {
    if (!entry.plan) return [];
    const changes = entry.plan.changes.map((change) => ({
      ...change,
      fields: change.fields.map((field) =>
        field.path === 'auto-apply' ? { ...field, before: !autoApply, after: autoApply } : field,
      ),
    }));
    return [{ ...entry, plan: { ...entry.plan, changes } }];
  });
  return { ...report, entries };
}

test('a SARIF result keeps its fingerprint when its line moves', () => {
  const report = largeReport({ update: 1 });
  const moved = JSON.parse(JSON.stringify(report).replaceAll('"line":1', '"line":99')) as Report;
  const entries = moved.entries.map((entry) => ({ ...entry, path: (file: string) => file }));
  const print = (one: Report) => run(one).results[0]?.partialFingerprints;
  expect(print({ ...moved, entries })).toEqual(print(report));
});
