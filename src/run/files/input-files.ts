import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { journalFormat, recordKinds } from '../../apply/journal/journal.ts';
import { parseJournal, type RunJournal } from '../../apply/journal/parse-journal.ts';
import { parseSnapshot, type Snapshot } from '../../live/snapshot.ts';
import type { Configuration } from '../../model/configuration.ts';
import { AttuneError } from '../../model/diagnostic.ts';
import { readRegularFile, relativePath, startOfFile } from '../../model/files.ts';
import { readPackageFile } from '../../model/package-files.ts';
import { isRecord } from '../../model/value.ts';
import { parseDocuments, parsePlans, type SavedDocument, type SavedPlan } from '../../saved/plan-file.ts';
import { isSameOrganization, type OrganizationIdentity } from '../../service/address.ts';

const savedFile = {
  code: 'bad-plan-file',
  hint: 'use a file that plan, drift, apply or undo wrote with --out or --format json',
};

export async function readPlanFile(name: string, cwd: string): Promise<SavedPlan[]> {
  const hint = 'use a file that plan or undo wrote with --out';
  const text = await readText(name, cwd, { ...savedFile, hint });
  const plans = parsePlans(text, name, await openSchema('plan'));
  const other = plans.find(({ hypothetical }) => hypothetical);
  if (other === undefined) return plans;
  throw new AttuneError(
    `${name} cannot be applied: it was made with --at and shows the plan of ${other.at}`,
    { code: 'other-time', hint: 'run `attune plan --out` without --at' },
  );
}

export async function readDocuments(name: string, cwd: string): Promise<readonly SavedDocument[]> {
  return parseDocuments(await readText(name, cwd, savedFile), name, await openSchema('plan'));
}

/** With the organization and service of its first record; without one, the organization is as its name spells it. */
export interface FoundJournal extends OrganizationIdentity {
  readonly path: string;
  /** When it was started according to its name, in UTC. Equal for all journals of one command. */
  readonly time: string;
  readonly number: number;
  /** When its first run began, in ISO 8601; without a first record the time in its name, if the file is not older. */
  readonly at: string;
  readonly isEmpty: boolean;
  readonly isBegun: boolean;
}

/** Where `apply` and `undo` write journals by default: beside the data of the embedded service. */
export function journalFolder({ folder }: Pick<Configuration, 'folder'>): string {
  return join(folder, '.attune', 'journal');
}

/**
 * The journals in folders, or those of an organization of a service, the newest first. Several organizations can have one spelling
 * in file names, so the first records are compared. A file that does not begin as a journal is among them.
 */
export async function listJournals(
  folders: Iterable<string>,
  of?: Configuration | OrganizationIdentity,
): Promise<readonly FoundJournal[]> {
  const found = await Promise.all([...new Set(folders)].map((folder) => journalsIn(folder, of)));
  return found.flat().sort(byTime);
}

async function journalsIn(folder: string, of: Configuration | OrganizationIdentity | undefined) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const wanted = of && organizationInFileName('desired' in of ? of.desired.organization : of.organization);
  const found = entries.flatMap((entry) => {
    const match =
      entry.isFile() && /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)(?:\.(\d+))?-(.+)\.jsonl$/.exec(entry.name);
    if (!match) return [];
    const [, time = '', number = '1', organization = ''] = match;
    if (wanted !== undefined && !isSameOrganization({ organization }, { organization: wanted })) return [];
    return [withStart({ path: join(folder, entry.name), time, number: Number(number), organization })];
  });
  const journals = await Promise.all(found);
  return of ? journals.filter((one) => !one.isBegun || isSameOrganization(one, of)) : journals;
}

/** A name can be of any time, so that it does not decide the order of journals with a first record. */
function byTime(a: FoundJournal, b: FoundJournal): number {
  const times = b.at.localeCompare(a.at) || b.time.localeCompare(a.time);
  return times || b.number - a.number || a.path.localeCompare(b.path);
}

type NamedJournal = Pick<FoundJournal, 'path' | 'time' | 'number' | 'organization'>;

async function withStart(journal: NamedJournal): Promise<FoundJournal> {
  const text = startOfFile(journal.path, 4096);
  const [organization, address, data] = (firstRecord.exec(text ?? '') ?? [])
    .slice(1)
    .map((value) => (value === undefined ? undefined : String(JSON.parse(value))));
  const [, begunAt = ''] = /"at":"([^"]+)"/.exec(text?.split('\n', 1)[0] ?? '') ?? [];
  const at = organization === undefined ? Number.NaN : Date.parse(begunAt);
  return {
    ...journal,
    at: new Date(Number.isNaN(at) ? await timeOfFile(journal) : at).toISOString(),
    organization: organization ?? journal.organization,
    address,
    data: data && resolve(dirname(journal.path), data),
    isEmpty: text === '',
    isBegun: organization !== undefined,
  };
}

async function timeOfFile({ path, time }: NamedJournal): Promise<number> {
  const named = Date.parse(time.replace(/T(\d\d)-(\d\d)-(\d\d)Z/, 'T$1:$2:$3Z'));
  const written = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
  return Math.min(written, Number.isNaN(named) ? written : named);
}

/** JSON.parse accepts what it matches, also in a damaged record. */
const jsonText = String.raw`("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")`;
const firstRecord = new RegExp(
  String.raw`^\{"record":"run","format":"${journalFormat}","organization":${jsonText}(?:,"address":${jsonText}(?:,"data":${jsonText})?)?`,
);

/** The name of a journal, which {@link listJournals} reads. Colons are not allowed in file names on Windows. */
export function journalFileName(now: Date, number: number, organization: string): string {
  const time = now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  const suffix = number === 1 ? '' : `.${number}`;
  return `${time}${suffix}-${organizationInFileName(organization)}.jsonl`;
}

/** An organization in the name of a file, without the characters that Windows refuses. */
function organizationInFileName(organization: string): string {
  return organization.replaceAll(/[^\w-]/g, '_').slice(0, 100);
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
    const [newest] = await listJournals([journalFolder(configuration)], configuration);
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

async function readText(name: string, cwd: string, error: { readonly code: string; readonly hint: string }) {
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
  if (!(name in ajv.schemas)) ajv.addSchema(JSON.parse(readPackageFile(`schemas/${name}.schema.json`)), name);
  return (definition: string | undefined, document: unknown): readonly string[] => {
    const validate = ajv.getSchema(definition === undefined ? name : `${name}#/$defs/${definition}`);
    if (validate === undefined) throw new Error(`${name}.schema.json has no definition "${definition}"`);
    if (validate(document)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`);
  };
}
