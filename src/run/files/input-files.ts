import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { recordKinds } from '../../apply/journal/journal.ts';
import { parseJournal, type RunJournal } from '../../apply/journal/parse-journal.ts';
import { parseSnapshot, type Snapshot } from '../../live/snapshot.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { Configuration } from '../../model/configuration.ts';
import { readRegularFile, relativePath } from '../../model/files.ts';
import type { Part } from '../../model/json-schema.ts';
import { readPackageFile } from '../../model/package-files.ts';
import { schemaErrors } from '../../model/schema-errors.ts';
import { isRecord } from '../../model/value.ts';
import { parseDocuments, parsePlans, type SavedDocument, type SavedPlan } from '../../saved/plan-file.ts';
import { isSameOrganization } from '../../service/address.ts';
import { journalFolder, journalsOf } from './journal-folder.ts';

/**
 * Reads the plans that `plan --out` saved.
 *
 * @throws {AttuneError} if the file cannot be read, or is not a plan that can be applied.
 */
export async function readPlanFile(name: string, cwd: string): Promise<SavedPlan[]> {
  const text = await readText(name, cwd, {
    code: 'bad-plan-file',
    hint: 'give a file that `attune plan --out` or `attune undo --out` wrote',
  });
  return parsePlans(text, name, (definition, document) => documentErrors('plan', definition, document));
}

/**
 * Reads the documents of a file that `plan --out`, or `plan`, `drift` or `apply` with `--format json`, wrote.
 *
 * @throws {AttuneError} if the file cannot be read, or is not such a document.
 */
export async function readDocuments(name: string, cwd: string): Promise<readonly SavedDocument[]> {
  const text = await readText(name, cwd, {
    code: 'bad-plan-file',
    hint: 'use a file that plan, drift or apply wrote with --out or --format json',
  });
  return parseDocuments(text, name, (definition, document) => documentErrors('plan', definition, document));
}

/**
 * Reads what `apply --journal` wrote. Its `data` is an absolute path, and absent if nothing is there: the journal was moved.
 *
 * @throws {AttuneError} if the file cannot be read, or is not a journal of this version.
 */
export async function readJournalFile(name: string, cwd: string): Promise<RunJournal[]> {
  const text = await readText(name, cwd, {
    code: 'bad-journal',
    hint: 'give a file that `attune apply --journal` wrote',
  });
  const folder = dirname(resolve(cwd, name));
  return parseJournal(text, name, recordErrors).map(({ data, ...run }) => {
    const path = data === undefined ? undefined : resolve(folder, data);
    return path !== undefined && existsSync(path) ? { ...run, data: path } : run;
  });
}

/**
 * The runs in the newest journal of an organization of a service. It explains a plan and is not needed for it: there are
 * none if the journal cannot be read.
 */
export async function lastRuns(configuration: Configuration, cwd: string): Promise<readonly RunJournal[]> {
  try {
    const [newest] = await journalsOf(journalFolder(configuration), configuration);
    if (newest === undefined) return [];
    const runs = await readJournalFile(relativePath(cwd, newest.path), cwd);
    return runs.filter((run) => isSameOrganization(run, configuration));
  } catch {
    return [];
  }
}

/**
 * Reads what `snapshot --out` wrote.
 *
 * @throws {AttuneError} if the file cannot be read, or is not a snapshot of this version.
 */
export async function readSnapshotFile(name: string, cwd: string): Promise<Snapshot> {
  const hint = 'give a file that `attune snapshot --out` wrote';
  return parseSnapshot(await readText(name, cwd, { code: 'bad-snapshot', hint }), name);
}

async function readText(
  name: string,
  cwd: string,
  error: { readonly code: string; readonly hint: string },
): Promise<string> {
  if (name === '') throw new AttuneError('the name of a file is empty', error);
  try {
    return await readRegularFile(resolve(cwd, name));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${message}`;
    throw new AttuneError(`${name} ${why}`, { ...error, cause });
  }
}

/** The schema of a record's own kind reports what is wrong with it; that of all kinds reports every other kind, too. */
function recordErrors(record: unknown): readonly string[] {
  const kind = isRecord(record) ? recordKinds.find((one) => one === record.record) : undefined;
  return kind === undefined ? ['it is not a journal record'] : documentErrors('journal', kind, record);
}

const schemas = new Map<string, Part>();

/** What a definition of a published schema reports about a document. */
function documentErrors(name: 'journal' | 'plan', definition: string, document: unknown): readonly string[] {
  const schema = schemas.get(name) ?? (JSON.parse(readPackageFile(`schemas/${name}.schema.json`)) as Part);
  schemas.set(name, schema);
  return schemaErrors(schema, document, definition).map(
    ({ path, message }) => `${path.map((key) => `/${key}`).join('') || 'it'} ${message}`,
  );
}
