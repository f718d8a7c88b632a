import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { renderHtml } from '../../src/report/html/html.ts';
import type { Report, ReportEntry } from '../../src/report/report.ts';
import { isSoak } from '../support/cases.ts';
import { expectGolden } from './expect-golden.ts';
import { hostileReports } from './fixtures/hostile-plan.ts';
import { largePlan, largeReport } from './fixtures/large-plan.ts';
import { quickstartPlan } from './fixtures/quickstart-report.ts';
import { sharingPlan, sharingReport } from './fixtures/sharing-report.ts';

const kinds = ['validate', 'plan', 'drift', 'apply'] as const;

describe.each(kinds)('a hostile %s', (kind) => {
  test(`the page of a hostile ${kind} is as in its golden file`, async () => {
    const text = renderHtml((await hostileReports())[kind]);
    expectGolden(`hostile-${kind}.html`, bodyOf(text));
  });

  test(`the page of a hostile ${kind} has the same bytes every time`, async () => {
    const report = (await hostileReports())[kind];
    expect(renderHtml(report)).toBe(renderHtml(report));
  });

  test(`the page of a hostile ${kind} has no control character and no markup but its own`, async () => {
    const body = bodyOf(renderHtml((await hostileReports())[kind]));
    expect(body).not.toMatch(/[^\n\P{Cc}]|[\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
    expect(body).not.toMatch(/<(script|img|iframe|object|link|base|meta)\b/);
    expect(body).not.toMatch(/<[^>]*\s(on\w+|style|src)=/);
    expect(body.match(/ href="[^"]*"/g)?.filter((link) => !link.startsWith(' href="#'))).toEqual([]);
  });
});

test('the policy of the page allows the one style and the one script by their hashes, and nothing else', async () => {
  const page = renderHtml(largeReport({ update: 1 }));
  const style = only(page, /<style>([\s\S]*?)<\/style>/g);
  const script = only(page, /<script>([\s\S]*?)<\/script>/g);
  expect(only(page, /http-equiv="Content-Security-Policy" content="([^"]*)"/g)).toBe(
    `default-src 'none'; style-src '${hash(style)}'; script-src '${hash(script)}'; base-uri 'none'; form-action 'none'`,
  );
  expect(page).not.toMatch(/https?:\/\/(?!iac\.example\.com)/);
  expect(() => new Function(script)).not.toThrow();
});

test('every id of the page exists once and every link leads to one', async () => {
  const plan = await quickstartPlan();
  const entry = { plan, diagnostics: plan.diagnostics, path: (file: string) => file };
  const page = renderHtml({ kind: 'plan', entries: [entry, entry] });
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const targets = [...page.matchAll(/ (?:href="#|aria-labelledby="|aria-controls=")([^"]*)"/g)].map(
    ([, id]) => id,
  );
  expect(targets.length).toBeGreaterThan(10);
  expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
});

describe('the plan of the example', () => {
  test('the page lists which workspaces gain and lose state access', async () => {
    const text = await example();
    expect(text).toMatch(/chip loss">[^\n]*lost[^\n]*network-prod[^\n]*sandbox-jo[^\n]*<td>list<\/td>/);
    expect(text).toContain('The readers of 7 workspaces are unknown: their lists were not read.');
  });

  test('the page shows the access of teams before and after a move', async () => {
    const text = await example();
    expect(text).toMatch(/class="changed update"[^\n]*↓[^\n]*loses permissions: <\/span>write → read/);
    expect(text).toMatch(/<li>move from platform to storefront: .*: admin -&gt; maintain; revokes /);
  });

  test('the page has the line that declares each change', async () => {
    expect(await example()).toContain('infra/workspaces/storefront.yaml:17');
  });

  async function example(): Promise<string> {
    const plan = await quickstartPlan();
    return renderHtml({
      kind: 'plan',
      entries: [{ plan, diagnostics: [], path: (file) => `infra/${file}` }],
    });
  }
});

describe('the page of several root files', () => {
  const path = (file: string) => file;
  const error = { severity: 'error', code: 'service-error', message: 'the token is not valid' } as const;

  /** Without differences, with a risk, failed, and with differences, in this order. */
  async function joint(): Promise<Report> {
    const entry = (file: string, plan: Plan): ReportEntry => ({
      plan,
      file,
      diagnostics: plan.diagnostics,
      path,
    });
    const example = await quickstartPlan();
    const changed = largePlan({ update: 1 });
    const [change] = changed.changes as [Plan['changes'][number]];
    const fields = [{ path: 'description', before: 'one', after: 'two' }];
    return {
      kind: 'plan',
      entries: [
        entry('same.yaml', largePlan({})),
        entry('risky.yaml', example),
        { source: 'failed.yaml', failed: true, organization: 'acme', diagnostics: [error], path },
        entry('changed.yaml', { ...changed, changes: [{ ...change, fields }] }),
        entry('second.yaml', { ...example, changes: [] }),
      ],
    };
  }

  test('the overview and the sections of the page are in the order failed, risks, differences, nothing, and the last is folded', async () => {
    const text = renderHtml(await joint());
    const rows = [...text.matchAll(/<tr class="root-(\w+)">.*?<a href="#(r\d)-title">([^<]*)</g)];
    const order = ['failed', 'risks', 'risks', 'differences', 'same'];
    expect(rows.map(([, status]) => status)).toEqual(order);
    expect(rows.map(([, , , title]) => title)).toEqual([
      'failed.yaml',
      'risky.yaml',
      'second.yaml',
      'changed.yaml',
      'same.yaml',
    ]);
    const sections = [
      ...text.matchAll(/<article class="entry root".*?<details( open)?>\n.*?id="(r\d)-title"/g),
    ];
    expect(sections.map(([, , prefix]) => prefix)).toEqual(rows.map(([, , prefix]) => prefix));
    expect(sections.map(([, open]) => open !== undefined)).toEqual([true, true, true, true, false]);
    expect(text).toContain('<span aria-hidden="true">✗</span> failed</span>');
  });

  test('the page has one list of what needs attention, one form, and one picture and matrix for each organization', async () => {
    const text = renderHtml(await joint());
    const count = (part: string) => text.split(part).length - 1;
    expect(count('>Needs attention <')).toBe(1);
    expect(count('<form class="filters"')).toBe(1);
    expect(count('<figure class="sharing"')).toBe(1);
    expect(count('<table class="matrix"')).toBe(1);
    // Both root files with the moves of the example have them in their own words.
    expect(count('<li>move from platform to storefront: ')).toBe(2);
    expect(text.indexOf('>Needs attention <')).toBeLessThan(text.indexOf('id="contents"'));
    expect(text).toMatch(
      /<a href="#r3-title">failed\.yaml<\/a><\/code> <span class="risk-detail">the token is not valid/,
    );
  });

  test('every id of the page of several root files exists once and every link leads to one', async () => {
    const text = renderHtml(await joint());
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const targets = [...text.matchAll(/ (?:href="#|aria-labelledby="|aria-controls=")([^"]*)"/g)];
    expect(targets.map(([, id]) => id).filter((id) => !ids.includes(id))).toEqual([]);
  });

  test.each(kinds)('the page of several hostile root files of %s has no markup but its own', async (kind) => {
    const { entries } = (await hostileReports())[kind];
    const body = bodyOf(renderHtml({ kind, entries: [...entries, ...entries] }));
    expect(body).not.toMatch(/[^\n\P{Cc}]|[\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
    expect(body).not.toMatch(/<(script|img|iframe|object|link|base|meta)\b/);
    expect(body).not.toMatch(/<[^>]*\s(on\w+|style|src)=/);
  });

  test('the page of 50 root files with 1,000 changes is smaller than 5 MB', async () => {
    const { effects, overview } = sharingPlan(300);
    const plan = { ...largePlan({ update: 20 }), effects, overview };
    const entries = Array.from({ length: 50 }, (_, nth) => ({
      plan,
      file: `team-${nth}/attune.yaml`,
      diagnostics: [],
      path,
    }));
    expect(Buffer.byteLength(renderHtml({ kind: 'plan', entries }))).toBeLessThan(5_000_000);
  });
});

describe('what there is nothing of', () => {
  test('the page of a validate without problems reports that there are none', () => {
    const page = renderHtml({ kind: 'validate', entries: [{ diagnostics: [], path: (file) => file }] });
    expect(page).toContain('No problems found.');
  });

  test('the page of a plan without entries is complete', () => {
    expect(renderHtml({ kind: 'plan', entries: [] })).toContain('</html>');
  });

  test('the page of a plan without changes reports that there are none', () => {
    expect(renderHtml(largeReport({}))).toContain('No changes. The live state matches the configuration.');
  });
});

/** The soak tier takes more changes. */
const many = isSoak ? 2000 : 400;

describe('figures', () => {
  test('the page of many changes is smaller than 5 MB', () => {
    const report = largeReport({ create: 0.4 * many, update: 0.4 * many, delete: 0.2 * many });
    const page = renderHtml(report);
    expect(Buffer.byteLength(page)).toBeLessThan(5_000_000);
  });

  test('the page of 3,000 workspaces that share state is smaller than 5 MB', () => {
    expect(Buffer.byteLength(renderHtml(sharingReport(3000)))).toBeLessThan(5_000_000);
  });
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
