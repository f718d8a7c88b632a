import { realpath } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { AttuneError } from '../model/attune-error.ts';
import {
  type ReportFormat,
  reportExtensions,
  reportFileExtensions,
  reportFormats,
} from '../report/report.ts';
import { writablePath } from '../run/files/writable-path.ts';

/** A report file; its extension selects the format. */
export interface ReportFile {
  readonly path: string;
  readonly format: ReportFormat;
}

/**
 * The files that `--report` names, checked before any work is done: an apply must not end without its report.
 *
 * @throws {AttuneError} if a name has no known extension, or the file cannot be written.
 */
export async function checkReportFiles(names: readonly string[], cwd: string): Promise<ReportFile[]> {
  const files: ReportFile[] = [];
  for (const name of names) {
    const extension = extname(name).toLowerCase();
    const format = reportFormats.find((one) => reportExtensions[one] === extension);
    if (format === undefined) {
      throw new AttuneError(`--report ${name}: unknown file extension`, {
        code: 'bad-report-file',
        hint: `use one of the extensions ${reportFileExtensions.join(', ')}`,
      });
    }
    files.push({ path: await writablePath('--report', name, cwd), format });
  }
  return files;
}

/** The files that the flags of a command name as outputs. */
export interface OutputFlags {
  readonly report?: readonly string[];
  readonly out?: string;
  readonly journal?: string;
}

/**
 * Checks that a report does not replace another output of the run.
 *
 * @throws {AttuneError} that names both flags.
 */
export async function checkDistinct({ report = [], out, journal }: OutputFlags, cwd: string): Promise<void> {
  const outputs = [
    ['--out', out],
    ['--journal', journal],
    ...report.map((name) => ['--report', name] as const),
  ] as const;
  const flags = new Map<string, string>();
  for (const [flag, name] of outputs) {
    if (name === undefined) continue;
    const path = resolve(cwd, name);
    const folder = await realpath(dirname(path)).catch(() => dirname(path));
    const file = join(folder, basename(path));
    const other = flags.get(file);
    if (other !== undefined) {
      const both = other === flag ? `two ${flag} flags` : `${other} and ${flag}`;
      throw new AttuneError(`${both} name the same file: ${name}`, {
        code: 'usage',
        hint: `give ${flag} another file`,
      });
    }
    flags.set(file, flag);
  }
}
