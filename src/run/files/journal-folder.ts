import { access, constants, mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { JournalError, type JournalFile, journalFormat, openJournal } from '../../apply/journal/journal.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { Configuration } from '../../model/configuration.ts';
import { realPathOutside, relativePath, startOfFile } from '../../model/files.ts';
import { isSameOrganization, type OrganizationIdentity } from '../../service/address.ts';
import type { RunContext } from '../context.ts';

const kept = 20;

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

type FolderContext = Pick<RunContext, 'io' | 'named'>;

/**
 * The journals in a folder, or those of an organization of a service, the newest first. Several organizations can have one spelling
 * in file names, so the first records are compared. A file that does not begin as a journal is among them.
 */
export async function listJournals(
  folder: string,
  of?: Configuration | OrganizationIdentity,
): Promise<readonly FoundJournal[]> {
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
  const journals = (await Promise.all(found)).sort(byTime);
  return of ? journals.filter((one) => !one.isBegun || isSameOrganization(one, of)) : journals;
}

/** A name can be of any time, so that it does not decide the order of journals with a first record. */
export function byTime(a: FoundJournal, b: FoundJournal): number {
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

/** An organization in the name of a file, without the characters that Windows refuses. */
function organizationInFileName(organization: string): string {
  return organization.replaceAll(/[^\w-]/g, '_').slice(0, 100);
}

export async function checkJournalFolder(folder: string, context: FolderContext): Promise<void> {
  const { cwd } = context.io;
  try {
    let nearest = folder;
    for (;;) {
      const found = await stat(nearest).catch((error: NodeJS.ErrnoException) => {
        const isMissing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
        if (!isMissing || dirname(nearest) === nearest) throw error;
      });
      if (found && !found.isDirectory()) throw new Error(`${shown(nearest, cwd)} is not a folder`);
      if (found) break;
      nearest = dirname(nearest);
    }
    for (const [top, what] of [
      [cwd, 'the working folder'],
      [dirname(dirname(folder)), 'the folder of the root file'],
    ] as const) {
      const elsewhere = await realPathOutside(folder, top);
      if (elsewhere !== undefined) throw new Error(`a link leads to ${elsewhere}, outside ${what}`);
    }
    await access(nearest, constants.W_OK);
  } catch (cause) {
    throw notWritable(folder, context, cause);
  }
}

export interface StartedJournal {
  readonly path: string;
  readonly file: JournalFile;
  readonly created: readonly string[];
}

export async function startJournal(
  configuration: Configuration,
  context: FolderContext,
  now: Date,
): Promise<StartedJournal> {
  const folder = journalFolder(configuration);
  await checkJournalFolder(folder, context);
  try {
    const parent = dirname(folder);
    const createdParent = await mkdir(parent, { recursive: true, mode: 0o700 });
    const createdFolder = await mkdir(folder, { recursive: true, mode: 0o700 });
    const started = await openUnused(folder, configuration.desired.organization, now);
    const created = [...(createdFolder ? [folder] : []), ...(createdParent ? [parent] : [])];
    return { ...started, created };
  } catch (cause) {
    throw notWritable(folder, context, cause);
  }
}

/** Removes journals that record nothing, and the folders that were created for them unless something else is in them. */
export async function discardJournals(journals: readonly Omit<StartedJournal, 'file'>[]): Promise<void> {
  for (const { path } of journals) await rm(path, { force: true });
  for (const { created } of journals)
    for (const folder of created) await rmdir(folder).catch(() => undefined);
}

async function openUnused(
  folder: string,
  organization: string,
  now: Date,
): Promise<Pick<StartedJournal, 'path' | 'file'>> {
  // Colons are not allowed in file names on Windows.
  const time = now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `.${number}`;
    const path = join(folder, `${time}${suffix}-${organizationInFileName(organization)}.jsonl`);
    try {
      return { path, file: await openJournal(path) };
    } catch (error) {
      if (!(error instanceof AttuneError) || error.code !== 'file-exists') throw error;
    }
  }
}

/**
 * Removes the oldest journals of an organization if there are more than 20. One that cannot be removed is left for the next
 * run. A file with the name of a journal is kept if it does not begin as one; a killed run can leave an empty one.
 */
export async function removeOldest(of: Configuration, used: readonly string[]): Promise<void> {
  const all = await listJournals(journalFolder(of), of);
  const own = all.filter(({ isEmpty, isBegun }) => isEmpty || isBegun);
  for (const { path } of own.slice(kept))
    if (!used.includes(path)) await rm(path, { force: true }).catch(() => {});
}

function notWritable(folder: string, { io: { cwd }, named }: FolderContext, cause: unknown): AttuneError {
  const reason = cause instanceof JournalError && cause.cause instanceof Error ? cause.cause : cause;
  const why = reason instanceof Error ? reason.message : String(reason);
  return cause instanceof AttuneError && !(cause instanceof JournalError)
    ? cause
    : new AttuneError(`cannot write the journal folder ${shown(folder, cwd)}: ${why}`, {
        code: 'journal-not-written',
        hint: `make the folder writable, name another file with ${named('journal')} FILE, or run without a journal: ${named('no-journal')}`,
        cause,
      });
}

function shown(path: string, cwd: string): string {
  return relativePath(cwd, path) || '.';
}
