import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/report/html/html.ts';
import { isSoak } from '../support/cases.ts';
import { expectGolden } from './expect-golden.ts';
import { hostileReports } from './fixtures/hostile-plan.ts';
import { largeReport } from './fixtures/large-plan.ts';
import { quickstartPlan } from './fixtures/quickstart-report.ts';
import { sharingReport } from './fixtures/sharing-report.ts';

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
    expect(text).toContain('6 workspaces share their state with others by name.');
    expect(text).toMatch(/network-prod[\s\S]*chip loss[\s\S]*sandbox-jo/);
    expect(text).toContain('The readers of 7 workspaces are unknown: their lists were not read.');
  });

  test('the page shows the access of teams before and after a move', async () => {
    const text = await example();
    expect(text).toMatch(/class="changed update"[^\n]*↓[^\n]*loses permissions: <\/span>write → read/);
    expect(text).toMatch(/From <b>platform<\/b> to <b>storefront<\/b>/);
    expect(text).toContain('admin → maintain access');
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

  test('the page of 3,000 workspaces that share state is smaller than 5 MB and draws those that change', () => {
    const page = renderHtml(sharingReport(3000));
    expect(Buffer.byteLength(page)).toBeLessThan(5_000_000);
    expect(page).toContain('are only in the tables: the diagram would be illegible.');
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
