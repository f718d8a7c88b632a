// Writes docs/images/plan-{light,dark}.png: the HTML report of the quickstart's plan. Needs /usr/bin/chromium.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../', import.meta.url));
const images = join(root, 'docs', 'images');
const folder = mkdtempSync(join(tmpdir(), 'attune-images-'));
const report = join(folder, 'plan.html');
const quickstart = join(root, 'examples', 'quickstart');

rmSync(join(quickstart, '.attune'), { recursive: true, force: true });
const argv = [join(root, 'dist/cli/bin.js'), 'plan', '--quiet', '--report', report];
const { status } = spawnSync(process.execPath, argv, {
  cwd: quickstart,
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (status !== 0) process.exit(status ?? 1);

mkdirSync(images, { recursive: true });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const colorScheme of ['light', 'dark']) {
  const page = await browser.newPage({
    colorScheme,
    viewport: { width: 1100, height: 760 },
    bypassCSP: true,
  });
  await page.goto(pathToFileURL(report).href);
  // Without a frame, the picture looks like a part of the page that shows it.
  await page.addStyleTag({
    content: 'body::after { content: ""; position: fixed; inset: 0; border: 1px solid #8888 }',
  });
  await page.screenshot({ path: join(images, `plan-${colorScheme}.png`) });
}
await browser.close();
rmSync(folder, { recursive: true });
