import { expect, test } from 'vitest';
import type { Report } from '../../src/report/report.ts';
import { latestPage } from '../../src/watch/page.ts';

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
