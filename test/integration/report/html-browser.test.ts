import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { renderHtml } from '../../../src/report/html/html.ts';
import type { Report } from '../../../src/report/report.ts';
import { hostileReports } from '../../report/fixtures/hostile-plan.ts';
import { largePlan, largeReport } from '../../report/fixtures/large-plan.ts';
import { quickstartPlan } from '../../report/fixtures/quickstart-report.ts';
import { sharingReport } from '../../report/fixtures/sharing-report.ts';
import { hasChromium, launchChromium, openPage } from '../../support/chromium.ts';

if (!hasChromium)
  console.warn('The HTML report is not looked at in a browser: there is no /usr/bin/chromium.');

let browser: Browser;
let example: string;

beforeAll(async () => {
  if (hasChromium) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** A fact of the page, as JavaScript that is evaluated in it. */
function inPage<Fact>(page: Page, expression: string): Promise<Fact> {
  return page.evaluate(expression);
}

async function examplePage(): Promise<string> {
  example ??= renderHtml(await exampleReport());
  return example;
}

/** Four root files, of which one fails and one has no changes. */
async function jointPage(): Promise<string> {
  const path = (file: string) => file;
  const error = { severity: 'error', code: 'service-error', message: 'the token is not valid' } as const;
  const entry = (file: string, plan: Plan) => ({ plan, file, diagnostics: [], path });
  return renderHtml({
    kind: 'plan',
    entries: [
      { source: 'failed.yaml', failed: true, diagnostics: [error], path },
      entry('one.yaml', await quickstartPlan()),
      entry('same.yaml', largePlan({})),
      entry('two.yaml', largePlan({ update: 8 })),
    ],
  });
}

async function exampleReport(): Promise<Report> {
  const plan = await quickstartPlan();
  const changes = plan.changes.map((change, index) =>
    index === 2
      ? {
          ...change,
          result: 'failed' as const,
          callsDone: 0,
          error: { message: 'name is taken', status: 422 },
        }
      : { ...change, result: 'done' as const, callsDone: change.calls.length },
  );
  const result = { plan, changes, diagnostics: [] };
  return { kind: 'apply', entries: [{ plan, result, diagnostics: plan.diagnostics, path: (file) => file }] };
}

describe.skipIf(!hasChromium)('the page in a browser', () => {
  test.each(['validate', 'plan', 'drift', 'apply'] as const)(
    'the page runs nothing of a hostile %s',
    async (kind) => {
      const report = (await hostileReports())[kind];
      const { page, complaints, requests } = await openPage(browser, renderHtml(report));
      await inPage(page, "for (const fold of document.querySelectorAll('details')) fold.open = true");
      await page.keyboard.press('Tab');
      expect(complaints).toEqual([]);
      expect(requests).toEqual([]);
      expect(await inPage(page, 'document.scripts.length + document.images.length')).toBe(1);
      expect(await overflow(page)).toBe(0);
    },
  );

  test('the filters of the page narrow the changes down, and the page shows the chosen filters', async () => {
    const { page, complaints } = await openPage(browser, await examplePage());
    const shown = () => page.locator('[data-action]:visible').count();
    const status = () => page.getByRole('status').textContent();
    expect(await shown()).toBe(16);
    await page.getByRole('checkbox', { name: 'delete' }).check();
    expect(await shown()).toBe(4);
    expect(await status()).toBe('4 of 16 changes');
    await page.getByRole('checkbox', { name: 'grant' }).check();
    expect(await shown()).toBe(2);
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(shown).toBe(16);
    await page.getByRole('checkbox', { name: 'failed' }).check();
    expect(await shown()).toBe(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Search').first().fill('needs-network SEARCH');
    expect(await page.locator('[data-action]:visible h4').allTextContents()).toEqual([
      'workspace.search-prod',
    ]);
    await page.getByLabel('Search').first().fill('no such thing');
    expect(await status()).toBe('No changes match.');
    await page.evaluate('location.hash = "#r1-c4"');
    await expect.poll(shown).toBe(16);
    expect(complaints).toEqual([]);
  });

  test('the one form of several root files filters the changes of all, and shows their root files unfolded', async () => {
    const { page, complaints } = await openPage(browser, await jointPage());
    const open = () => page.locator('.root > details[open] h2:visible').allTextContents();
    expect(await page.locator('.filters:visible').count()).toBe(1);
    expect(await open()).toEqual(['failed.yaml', 'one.yaml', 'two.yaml']);
    await page.locator('.root > details:not([open]) > summary').click();
    await page.getByLabel('Search', { exact: true }).fill('update-00007');
    expect(await open()).toEqual(['two.yaml']);
    expect(await page.getByRole('status').textContent()).toBe('1 of 24 changes in 1 of 4 root files');
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(open).toEqual(['failed.yaml', 'one.yaml', 'two.yaml', 'same.yaml']);
    expect(complaints).toEqual([]);
  });

  test('a link to a change that the filter hides opens the fold of its root file, also if that was closed', async () => {
    const { page, complaints } = await openPage(browser, await jointPage());
    const open = () => page.locator('.root > details[open] h2:visible').allTextContents();
    await page.locator('.root > details > summary', { hasText: 'one.yaml' }).click();
    await page.getByLabel('Search', { exact: true }).fill('update-00007');
    expect(await open()).toEqual(['two.yaml']);
    await page.evaluate('location.hash = "#r2-c1"');
    await expect.poll(open).toEqual(['failed.yaml', 'one.yaml', 'two.yaml']);
    expect(complaints).toEqual([]);
  });

  test('a link of the overview opens the fold of its root file', async () => {
    const { page, complaints } = await openPage(browser, await jointPage());
    await page.locator('.contents').getByRole('link', { name: 'same.yaml' }).click();
    await expect.poll(() => page.locator('.root > details[open]').count()).toBe(4);
    expect(complaints).toEqual([]);
  });

  test.each([390, 1280])(
    'the overview of several root files fits into %i px, as cards on a phone',
    async (width) => {
      const { page } = await openPage(browser, await jointPage(), { viewport: { width, height: 800 } });
      expect(await overflow(page)).toBe(0);
      const display = "getComputedStyle(document.querySelector('.contents tbody tr')).display";
      expect(await inPage(page, display)).toBe(width < 640 ? 'block' : 'table-row');
    },
  );

  test('the page filters 2,000 changes at once', async () => {
    const { page } = await openPage(browser, renderHtml(largeReport({ create: 1000, update: 1000 })));
    await page.getByLabel('Search').fill('number 777 ');
    expect(await page.getByRole('status').textContent()).toBe('2 of 2,000 changes');
    const counts = page.locator('#roots .count:visible');
    expect(await counts.allTextContents()).toEqual(['1 of 1,000', '1 of 1,000', '1 of 1,000 changes']);
    expect(await page.locator('.group > .lines:visible').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => counts.allTextContents()).toEqual(['1,000', '1,000', '1,000 changes']);
  });

  test('the page without JavaScript has all content except the filters', async () => {
    const { page } = await openPage(browser, await examplePage(), { javaScriptEnabled: false });
    expect(await page.locator('[data-action]').count()).toBe(16);
    expect(await page.locator('.filters:visible').count()).toBe(0);
    expect(await page.locator('.picture').isVisible()).toBe(true);
  });

  test('the keyboard leads from the skip link of the page through the filters, and every focus is visible', async () => {
    const { page } = await openPage(browser, await examplePage());
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await inPage(page, "document.activeElement.closest('main') !== null")).toBe(true);
    const stops: string[] = [];
    for (let step = 0; step < 160; step++) {
      await page.keyboard.press('Tab');
      const [stop = '', ring] = await inPage<[string, boolean]>(page, focusFacts);
      if (stop === 'body') break;
      stops.push(ring ? stop : `${stop} without a ring`);
    }
    expect(stops.filter((stop) => stop.endsWith('without a ring'))).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('the page has the colours of the %s scheme', async (colorScheme) => {
    const { page } = await openPage(browser, await examplePage(), { colorScheme });
    const ground = await inPage<string>(page, 'getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(15, 20, 27)');
  });

  test.each([360, 768, 1440])(
    'the page does not scroll sideways at %i px, and its picture keeps its size where that fits',
    async (width) => {
      const options = { viewport: { width, height: 800 } };
      const { page } = await openPage(browser, await examplePage(), options);
      expect(await overflow(page)).toBe(0);
      const { page: large } = await openPage(browser, renderHtml(sharingReport(120)), options);
      expect(await overflow(large)).toBe(0);
      const picture = large.locator('svg.picture');
      const size = Number(await picture.getAttribute('width'));
      expect((await picture.boundingBox())?.width).toBe(Math.min(size, width - 34));
    },
  );
});

/** What has the focus, and whether that is seen: by itself, or on the label beside it. */
const focusFacts = `(() => {
  const element = document.activeElement;
  const seen = [element, element.nextElementSibling].filter(Boolean);
  return [element.localName, seen.some((one) => getComputedStyle(one).outlineStyle !== 'none')];
})()`;

function overflow(page: Page): Promise<number> {
  return inPage(page, 'Math.max(0, document.documentElement.scrollWidth - innerWidth)');
}

function focused(page: Page): Promise<string> {
  return inPage(page, 'document.activeElement.textContent');
}
