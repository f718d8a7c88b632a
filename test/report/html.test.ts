import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/report/html/html.ts';
import type { Report } from '../../src/report/report.ts';
import { isSoak } from '../support/cases.ts';
import { expectGolden } from './expect-golden.ts';
import { hostileReports } from './fixtures/hostile-plan.ts';
import { largePlan, largeReport } from './fixtures/large-plan.ts';
import { quickstartPlan } from './fixtures/quickstart-report.ts';
import { sharingPlan, sharingReport } from './fixtures/sharing-report.ts';

test('the page of a hostile plan is as in its golden file, with the same bytes every time', async () => {
  const { plan } = await hostileReports();
  expectGolden('hostile-plan.html', bodyOf(renderHtml(plan)));
  expect(renderHtml(plan)).toBe(renderHtml(plan));
});

describe.each(['validate', 'plan', 'drift', 'apply'] as const)('a hostile %s', (kind) => {
  test.each([1, 2])(`the page of %i hostile ${kind} has no markup but its own`, async (times) => {
    const { entries } = (await hostileReports())[kind];
    const several = Array.from({ length: times }, () => entries).flat();
    const body = bodyOf(renderHtml({ kind, entries: several }));
    expect(body).not.toMatch(/[^\n\P{Cc}]|[\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
    expect(body).not.toMatch(/<(script|img|iframe|object|link|base|meta)\b/);
    expect(body).not.toMatch(/<[^>]*\s(on\w+|style|src)=/);
    expect(body.match(/ href="[^"]*"/g)?.filter((link) => !link.startsWith(' href="#'))).toEqual([]);
  });
});

test('the policy of the page allows the one style and the one script by their hashes, and nothing else', () => {
  const page = renderHtml(largeReport({ update: 1 }));
  const style = only(page, /<style>([\s\S]*?)<\/style>/g);
  const script = only(page, /<script>([\s\S]*?)<\/script>/g);
  expect(only(page, /http-equiv="Content-Security-Policy" content="([^"]*)"/g)).toBe(
    `default-src 'none'; style-src '${hash(style)}'; script-src '${hash(script)}'; base-uri 'none'; form-action 'none'`,
  );
  expect(page).not.toMatch(/https?:\/\/(?!iac\.example\.com)/);
  expect(() => new Function(script)).not.toThrow();
});

const path = (file: string) => file;
const failed = { source: 'failed.yaml', failed: true, organization: 'acme', diagnostics: [], path };

test.each([
  ['one root file', []],
  [
    'several',
    [failed, { plan: largePlan({ update: 30, delete: 3 }), file: 'b.yaml', diagnostics: [], path }],
  ],
])('every id of the page of %s exists once and every link leads to one', async (_, others) => {
  const plan = await quickstartPlan();
  const page = renderHtml({
    kind: 'plan',
    entries: [{ plan, file: 'a.yaml', diagnostics: [], path }, ...others],
  });
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const targets = [...page.matchAll(/ (?:href="#|aria-labelledby="|aria-controls=")([^"]*)"/g)];
  expect(targets.length).toBeGreaterThan(10);
  expect(targets.map(([, id]) => id).filter((id) => !ids.includes(id))).toEqual([]);
});

test('a change in two parts of the page has one id', () => {
  const fields = [
    { path: 'description', before: 'a', after: 'b', cause: 'change' },
    { path: 'auto-apply', before: true, after: false, cause: 'drift' },
  ] as const;
  const [change] = largePlan({ update: 1 }).changes;
  const changes = change ? [{ ...change, fields }] : [];
  const plan = { ...largePlan({ update: 1 }), base: { ref: 'main' }, noLongerDeclared: [], changes };
  const page = renderHtml({ kind: 'plan', entries: [{ plan, diagnostics: [], path }] });
  expect(page.match(/ id="r1-c1"/g)).toHaveLength(1);
  expect(page.match(/ data-also="r1-c1"/g)).toHaveLength(1);
});

/** The soak tier takes larger reports. */
const many = isSoak ? 2000 : 400;
const sharing = isSoak ? 3000 : 600;
const rootFiles = isSoak ? 50 : 10;

function manyEntries() {
  const { effects, overview } = sharingPlan(300);
  const one = { plan: { ...largePlan({ update: 20 }), effects, overview }, diagnostics: [], path };
  return Array.from({ length: rootFiles }, (_, nth) => ({ ...one, file: `${nth}.yaml` }));
}

test.each<[string, () => Report]>([
  ['many changes', () => largeReport({ create: 0.4 * many, update: 0.4 * many, delete: 0.2 * many })],
  ['many workspaces that share state', () => sharingReport(sharing)],
  ['many root files with 20 changes each', () => ({ kind: 'plan', entries: manyEntries() })],
])('the page of %s is smaller than 5 MB', (_, report) => {
  expect(Buffer.byteLength(renderHtml(report()))).toBeLessThan(5_000_000);
});

test('the page of watch begins with the failure of its last cycle', () => {
  const page = renderHtml({ ...largeReport({ update: 1 }), failure: '09:00: no', about: ['Mode'] });
  expect(page).toMatch(/<main[^>]*>\s*<p class="risk high"><b>Last cycle failed:<\/b> [^>]*>09:00: no</);
});

test('the page of a plan without entries is complete', () => {
  expect(renderHtml({ kind: 'plan', entries: [] })).toContain('</html>');
});

function bodyOf(page: string): string {
  return page.slice(page.indexOf('<body>'), page.lastIndexOf('<script>'));
}

function only(text: string, pattern: RegExp): string {
  const found = [...text.matchAll(pattern)];
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
