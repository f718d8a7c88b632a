import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type LoadResult, loadConfig } from '../desired/load-config.ts';
import { diff } from '../diff/diff.ts';
import type { Live } from '../live/read-live.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Resource } from '../model/state.ts';
import { isRecord } from '../model/value.ts';
import { lookUpNames, type NamesOf } from '../resolve/look-up-names.ts';

/** A change that the files would cause, or an error in them. */
export interface Violation {
  /** Absent if it does not concern a single resource. */
  readonly address?: string;
  /** The fields that would change. */
  readonly paths?: readonly string[];
  readonly reason: string;
}

export interface CheckInput {
  /** Texts by path relative to the root file. */
  readonly files: ReadonlyMap<string, string>;
  readonly root: string;
  /** The live state that the files were generated from. */
  readonly live: Live;
  /** Selects the addresses that must not differ from the live state. @default all */
  readonly chosen?: (address: string) => boolean;
  /** Resolves names in the files. @default no names exist */
  readonly namesOf?: NamesOf;
  /** The configuration before the import added to it, with resolved names: all of its declarations must be kept. */
  readonly before?: Configuration;
}

/**
 * Compares files with the live state that they were generated from, as a plan would; they are loaded from a temporary
 * folder. A violation would be a change, or an error, in the first plan.
 */
export async function checkUnchanged({
  files,
  root,
  live,
  chosen,
  namesOf = noNames,
  before,
}: CheckInput): Promise<Violation[]> {
  const { configurations, diagnostics } = await loadTexts(files, root);
  const [declared] = configurations;
  if (declared === undefined) {
    return diagnostics.filter(({ severity }) => severity === 'error').map(violationOf);
  }
  const looksAt = chosen ? { chosen } : {};
  const configuration = await lookUpNames(declared, namesOf, before ? {} : looksAt);
  const changed = before ? changedDeclarations(before, configuration) : [];
  if (changed.length > 0) {
    return [{ reason: `adding to them would change ${changed.slice(0, 5).join(', ')}` }];
  }
  const difference = diff(configuration, live, looksAt);
  return [
    ...difference.diagnostics.filter(({ severity }) => severity === 'error').map(violationOf),
    ...difference.changes.map(({ address, fields }) => {
      const paths = fields.map(({ path }) => path);
      return { address, paths, reason: `${paths.join(', ')} would differ from the live state` };
    }),
  ];
}

/**
 * Loads files that are not written yet from a temporary folder.
 *
 * @param files texts by path relative to the root file
 */
export async function loadTexts(files: ReadonlyMap<string, string>, root: string): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'attune-import-'));
  try {
    await writeAll(files, folder);
    return await loadConfig(join(folder, root));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The declarations of the first configuration that differ in the second. */
function changedDeclarations(before: Configuration, after: Configuration): string[] {
  const resources = [...before.desired.resources.values()]
    .filter((resource) => meaningOf(resource) !== meaningOf(after.desired.resources.get(resource.address)))
    .map(({ address }) => address);
  const rules = (['scope', 'prune', 'limits', 'guards', 'notify'] as const).filter(
    (key) => ruleText(before[key]) !== ruleText(after[key]),
  );
  return [...resources, ...rules];
}

/** A section without its lines, because additions above it shift them. */
function ruleText(rule: unknown): string {
  const isPlace = (value: unknown) => isRecord(value) && 'file' in value && 'line' in value;
  return JSON.stringify(rule, (_key, value: unknown) => (isPlace(value) ? true : value)) ?? '';
}

/** A declaration without its lines, because additions above it shift them. */
export function meaningOf(resource: Resource | undefined): string {
  const { locations: _locations, ...declared } = resource?.declared ?? {};
  return JSON.stringify([resource?.attributes, declared]);
}

async function writeAll(files: ReadonlyMap<string, string>, folder: string): Promise<void> {
  try {
    for (const [name, text] of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  } catch (cause) {
    throw new AttuneError(`cannot check the files in ${tmpdir()}: ${(cause as Error).message}`, {
      code: 'file-not-written',
      cause,
      hint: 'free disk space there, or set TMPDIR; no files were written',
    });
  }
}

const noNames: NamesOf = async () => [];

function violationOf({
  address,
  message,
}: {
  readonly address?: string;
  readonly message: string;
}): Violation {
  return { ...(address !== undefined && { address }), reason: message };
}
