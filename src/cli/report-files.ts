import { access, constants, stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { AttuneError } from '../model/attune-error.ts';
import type { ReportFormat } from '../report/report.ts';

/** A file that takes the report, in the format that its name asks for. */
export interface ReportFile {
  readonly path: string;
  readonly format: ReportFormat;
}

const formats: Readonly<Record<string, ReportFormat>> = {
  '.txt': 'text',
  '.json': 'json',
  '.md': 'markdown',
  '.html': 'html',
  '.xml': 'junit',
  '.sarif': 'sarif',
};

/**
 * The files that `--report` names, checked before any work is done: nothing may be applied and then not reported.
 *
 * @throws {AttuneError} where a name tells no format, or the place cannot be written to.
 */
export async function checkReportFiles(names: readonly string[], cwd: string): Promise<ReportFile[]> {
  const files: ReportFile[] = [];
  for (const name of names) {
    const format = formats[extname(name).toLowerCase()];
    if (format === undefined) {
      throw new AttuneError(`--report ${name}: the name tells no format`, {
        code: 'bad-report-file',
        hint: `end it with ${Object.keys(formats).join(', ')}`,
      });
    }
    const path = resolve(cwd, name);
    await checkWritable(path, `--report ${name}`);
    files.push({ path, format });
  }
  return files;
}

/** @throws {AttuneError} where a file could not be written at that path; `what` names it. */
export async function checkWritable(path: string, what: string): Promise<void> {
  const refuse = (why: string, cause?: unknown) =>
    new AttuneError(`${what} cannot be written: ${why}`, { code: 'bad-report-file', cause });
  const folder = dirname(path);
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isDirectory()) throw refuse('it is a folder');
  const parent = await stat(folder).catch(() => undefined);
  if (!parent?.isDirectory()) throw refuse(`the folder ${folder} does not exist`);
  // The file is put in place by renaming, so it is the folder that must allow it.
  await access(folder, constants.W_OK).catch((cause) => {
    throw refuse(`the folder ${folder} may not be written to`, cause);
  });
}
