import { access, constants, lstat, stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { journalExists } from '../../apply/journal/open-journal.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { ReportFormat } from '../../report/report.ts';
import type { JournalFlags } from '../flags.ts';
import { realPathOutside } from './write-file.ts';

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
    files.push({ path: await writablePath('--report', name, cwd), format });
  }
  return files;
}

/**
 * The absolute path of a file that a flag names, looked at before any work is done. A name inside the working folder
 * stays inside: a link on the way that leads out of it is not followed.
 *
 * @throws {AttuneError} where the file could not be written there.
 */
export async function writablePath(flag: string, name: string, cwd: string): Promise<string> {
  const refuse = (why: string, cause?: unknown) =>
    new AttuneError(`${flag} ${name} cannot be written: ${why}`, { code: 'bad-report-file', cause });
  const path = resolve(cwd, name);
  const folder = dirname(path);
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isDirectory()) throw refuse('it is a folder');
  // The file is put in place by renaming, which would replace a device or a pipe.
  if (entry !== undefined && !entry.isFile()) throw refuse('it is not a regular file');
  const parent = await stat(folder).catch(() => undefined);
  if (!parent?.isDirectory()) throw refuse(`the folder ${folder} does not exist`);
  const elsewhere = await realPathOutside(folder, cwd);
  if (elsewhere !== undefined)
    throw refuse(`the folder ${folder} is a link that leads to ${elsewhere}, out of the working folder`);
  // The file is put in place by renaming, so it is the folder that must allow it.
  await access(folder, constants.W_OK).catch((cause) => {
    throw refuse(`the folder ${folder} may not be written to`, cause);
  });
  return path;
}

/**
 * Checks before any work is done whether `--journal` can be written.
 *
 * @throws {AttuneError} if something exists there already, the place cannot be written to, or `--no-journal` is given too.
 */
export async function checkJournal({ journal, noJournal }: JournalFlags, cwd: string): Promise<void> {
  if (journal === undefined) return;
  if (noJournal) {
    throw new AttuneError('--journal cannot be used with --no-journal', {
      code: 'usage',
      hint: 'remove one of the two flags',
    });
  }
  const path = resolve(cwd, journal);
  if (await lstat(path).catch(() => undefined)) throw journalExists(path);
  await writablePath('--journal', journal, cwd);
}
