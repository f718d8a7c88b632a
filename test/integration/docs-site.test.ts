import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, launchChromium } from '../support/chromium.ts';

const root = join(import.meta.dirname, '..', '..');
const site = join(root, 'docs', '.vitepress', 'dist');
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const file = join(site, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
  if (!existsSync(file)) return response.writeHead(404).end();
  return response
    .writeHead(200, { 'content-type': contentTypes[extname(file)] ?? 'application/octet-stream' })
    .end(readFileSync(file));
});
let address: string;

beforeAll(async () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/docs/site.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('build complete')]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

test('every page of docs for users is a page of the site and is in its sidebar', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/node_modules|^contributing|^architecture/.test(file))
    .map((file) => `/${file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')}`)
    .filter((page) => page !== '/index.html');
  const html = readFileSync(join(site, 'getting-started.html'), 'utf8');
  const sidebar = html.slice(html.indexOf('<aside'), html.indexOf('</aside'));
  const listed = [...sidebar.matchAll(/href="([^"]+)"/g)].map(([, href = '']) =>
    href.replace(/\/$/, '/index.html'),
  );
  expect(listed.sort()).toEqual(pages.sort());
  expect(pages.filter((page) => !existsSync(join(site, page)))).toEqual([]);
  expect(existsSync(join(site, 'contributing'))).toBe(false);
});

test('every link and anchor of the documentation site resolves', () => {
  const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.html'),
  );
  const ids = new Map(
    pages.map((page) => {
      const html = readFileSync(join(site, page), 'utf8');
      return [`/${page}`, { html, ids: new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)) }];
    }),
  );
  const broken = [...ids].flatMap(([page, { html }]) =>
    [...html.matchAll(/<a [^>]*href="([^"]+)"/g)]
      .map(([, href = '']) => href)
      .filter((href) => !/^[a-z]+:/.test(href))
      .filter((href) => {
        const [path = '', anchor] = href.split('#');
        const target = path === '' ? page : join(path.startsWith('/') ? '/' : dirname(page), path);
        const found = ids.get(target.endsWith('/') ? `${target}index.html` : target);
        return (
          !found || (anchor !== undefined && anchor !== '' && !found.ids.has(decodeURIComponent(anchor)))
        );
      })
      .map((href) => `${page}: ${href}`),
  );
  expect(pages.length).toBeGreaterThan(15);
  expect(broken).toEqual([]);
});

describe.skipIf(!hasChromium)('in Chromium (skipped without /usr/bin/chromium)', () => {
  test.each(['light', 'dark'] as const)(
    'the documentation site is readable and can be searched in the %s color scheme',
    async (colorScheme) => {
      const browser = await launchChromium();
      const page = await (await browser.newContext({ colorScheme })).newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith(address) && !request.url().startsWith('data:'))
          complaints.push(request.url());
      });
      await page.goto(`${address}/getting-started.html`);
      expect(await page.locator('h1').innerText()).toContain('Getting started');
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(27, 27, 31)');

      await page.locator('.VPNavBarSearch button').click();
      await page.locator('#localsearch-input').fill('tombstone');
      await page.locator('#localsearch-list a').first().click();
      await page.waitForURL((url) => url.pathname !== '/getting-started.html');
      // The address changes before the page does.
      await expect.poll(() => page.locator('main').innerText()).toMatch(/tombstone/i);
      expect(complaints).toEqual([]);
      await browser.close();
    },
  );
});
