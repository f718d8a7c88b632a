import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { recordKinds } from '../../apply/journal/journal.ts';
import { parseJournal, type RunJournal } from '../../apply/journal/parse-journal.ts';
import { parseSnapshot, type Snapshot } from '../../live/snapshot.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { Configuration } from '../../model/configuration.ts';
import { readRegularFile, relativePath } from '../../model/files.ts';
import { readPackageFile } from '../../model/package-files.ts';
import { isRecord } from '../../model/value.ts';
import { parseDocuments, parsePlans, type SavedDocument, type SavedPlan } from '../../saved/plan-file.ts';
import { isSameOrganization } from '../../service/address.ts';
import { journalFolder, listJournals } from './journal-folder.ts';

export async function readPlanFile(name: string, cwd: string): Promise<SavedPlan[]> {
  const text = await readText(name, cwd, {
    code: 'bad-plan-file',
    hint: 'give a file that `attune plan --out` or `attune undo --out` wrote',
  });
  return parsePlans(text, name, await openSchema('plan'));
}

export async function readDocuments(name: string, cwd: string): Promise<readonly SavedDocument[]> {
  const text = await readText(name, cwd, {
    code: 'bad-plan-file',
    hint: 'use a file that plan, drift or apply wrote with --out or --format json',
  });
  return parseDocuments(text, name, await openSchema('plan'));
}

/** Reads what `apply --journal` wrote. Its `data` is an absolute path, and absent if nothing is there: the journal was moved. */
export async function readJournalFile(name: string, cwd: string): Promise<RunJournal[]> {
  const text = await readText(name, cwd, {
    code: 'bad-journal',
    hint: 'give a file that `attune apply --journal` wrote',
  });
  const folder = dirname(resolve(cwd, name));
  const check = await openSchema('journal');
  // The schema of a record's own kind reports what is wrong with it; that of all kinds reports every other kind, too.
  const checkRecord = (record: unknown) => {
    const kind = isRecord(record) ? recordKinds.find((one) => one === record.record) : undefined;
    return kind === undefined ? ['it is not a journal record'] : check(kind, record);
  };
  return parseJournal(text, name, checkRecord).map(({ data, ...run }) => {
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
    const [newest] = await listJournals(journalFolder(configuration), configuration);
    if (newest === undefined) return [];
    const runs = await readJournalFile(relativePath(cwd, newest.path), cwd);
    return runs.filter((run) => isSameOrganization(run, configuration));
  } catch {
    return [];
  }
}

export async function readSnapshotFile(name: string, cwd: string): Promise<Snapshot> {
  const hint = 'give a file that `attune snapshot --out` wrote';
  const text = await readText(name, cwd, { code: 'bad-snapshot', hint });
  const check = await openSchema('snapshot');
  return parseSnapshot(text, name, (document) => check(undefined, document));
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

let loadedAjv: Promise<Ajv2020> | undefined;

/** Compiling a schema takes longer than checking a document, so a process does it once. */
async function openSchema(name: string) {
  loadedAjv ??= import('ajv/dist/2020.js').then((module) => new module.Ajv2020({ allowUnionTypes: true }));
  const ajv = await loadedAjv;
  if (!(name in ajv.schemas)) {
    ajv.addSchema(JSON.parse(readPackageFile(`schemas/${name}.schema.json`)), name);
  }
  return (definition: string | undefined, document: unknown): readonly string[] => {
    const validate = ajv.getSchema(definition === undefined ? name : `${name}#/$defs/${definition}`);
    if (validate === undefined) throw new Error(`${name}.schema.json has no definition "${definition}"`);
    if (validate(document)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`);
  };
}
