import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { folderWith } from './attune.ts';

/** Debian's. */
const executablePath = '/usr/bin/chromium';

export const hasChromium = existsSync(executablePath);

/** A browser that sends no requests by itself. */
export function launchChromium(): Promise<Browser> {
  const quiet = ['quic', 'gpu', 'background-networking', 'component-update', 'sync'];
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--no-first-run', ...quiet.map((part) => `--disable-${part}`)],
  });
}

export interface OpenedPage {
  readonly page: Page;
  /** What the page complained about: errors of its script, refusals of its policy. */
  readonly complaints: string[];
  /** What it asked for beside itself. */
  readonly requests: string[];
}

/** Opens a page from a file, like a downloaded report. */
export async function openPage(
  browser: Browser,
  html: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const file = join(await folderWith({}), 'report.html');
  await writeFile(file, html);
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  return { page, complaints, requests: requests.slice(1) };
}
