import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type LoadResult, loadConfig } from '../../src/desired/load-config.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Loads files from a folder that is gone afterwards. */
export async function loadFiles(files: Files): Promise<LoadResult> {
  return inFolder(files, (folder) => loadConfig(folder));
}

/** The configuration of a root file after its first two lines, or of several files; fails if they have errors. */
export async function configured(files: string | Files): Promise<Configuration> {
  const { configurations, diagnostics } = await loadFiles(
    typeof files === 'string' ? { 'attune.yaml': rootText(files) } : files,
  );
  const [configuration] = configurations;
  if (configuration === undefined) throw new Error(renderDiagnostics(diagnostics));
  return configuration;
}

/** The root file of an organization. */
export function rootText(body: string): string {
  return `attune: 1\norganization: acme\n${body.replace(/^\n/, '')}`;
}

/** Gives a folder with these files to `use`, and removes it. Synchronous calls take a fraction of the time. */
export async function inFolder<T>(files: Files, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'attune-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === 'string' ? content.replace(/^\n/, '') : content);
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
