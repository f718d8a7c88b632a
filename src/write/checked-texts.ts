import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type LoadResult, loadConfig } from '../desired/load-config.ts';
import { diff } from '../diff/diff.ts';
import type { Live } from '../live/read-live.ts';
import type { Change } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, type Diagnostic, DiagnosticsError } from '../model/diagnostic.ts';
import { nameOfAddress, type Resource } from '../model/state.ts';
import { groupBy, isRecord } from '../model/value.ts';
import { lookUpNames, type NamesOf } from '../resolve/look-up-names.ts';

export type FileTexts = ReadonlyMap<string, string>;

interface Proposal {
  readonly texts: FileTexts;
  /** What they declare as it is live: addresses, and whether that includes a field. The path of a whole resource is empty. */
  readonly edited: ReadonlyMap<string, (path: string) => boolean>;
}

/** What a plan of a proposal would change, or why there is none. */
export interface Problem {
  readonly address?: string | undefined;
  readonly reason: string;
  readonly paths?: readonly string[];
}

export type FoundProblems = ReadonlyMap<string, readonly Problem[]>;

interface CheckInput {
  readonly root: string;
  readonly live: Live;
  readonly namesOf: NamesOf;
  /** The former declarations, names resolved: all that is not edited has to stay the same. Absent for new files. */
  readonly before?: Configuration | undefined;
  /** Whether the live state has nothing but what is edited. */
  readonly isPart?: boolean;
  /** The error if a problem is not about a resource of the proposal. */
  readonly fail: (reason: string) => AttuneError;
}

export async function checkedTexts<Proposed extends Proposal>(
  propose: (problems: FoundProblems) => Proposed,
  input: CheckInput,
): Promise<Proposed & { readonly configuration: Configuration; readonly problems: FoundProblems }> {
  const problems = new Map<string, readonly Problem[]>();
  for (;;) {
    const proposal = propose(problems);
    const { configuration, found } = await check(proposal, input);
    if (configuration && found.length === 0) return { ...proposal, configuration, problems };
    const blamed = found.flatMap((problem) =>
      culprits(problem, proposal.edited, input.before).map((address) => ({ address, problem })),
    );
    if (blamed.length === 0) throw input.fail(found[0]?.reason ?? 'the files would have errors');
    for (const [address, [first]] of groupBy(blamed, (one) => one.address))
      problems.set(address, [problems.get(address) ?? [], first?.problem ?? []].flat());
  }
}

/** The edited resources that a problem is about: by its address, else by the name of a removed declaration. */
function culprits({ address = '', reason }: Problem, edited: Proposal['edited'], before?: Configuration) {
  if (edited.has(address)) return [address];
  return [...edited.keys()].filter((one) => {
    const called = nameOfAddress(one);
    const { name = called } = before?.desired.resources.get(one)?.attributes ?? {};
    return edited.get(one)?.('') && [called, name].some((text) => reason.includes(`"${text}"`));
  });
}

async function check(
  { texts, edited }: Proposal,
  { root, live, namesOf, before, isPart = false }: CheckInput,
) {
  const { configurations, diagnostics } = await loadTexts(texts, root);
  const [loaded] = configurations;
  if (loaded === undefined) return { found: errorsIn(diagnostics) };
  // A removed project may still be named by a workspace that is not edited.
  const configuration = await lookUpNames(loaded, namesOf).catch((error: unknown) => {
    if (error instanceof DiagnosticsError) return error;
    throw error;
  });
  if (configuration instanceof DiagnosticsError) return { found: errorsIn(configuration.diagnostics) };
  const looks = isPart ? { chosen: (address: string) => edited.has(address) } : {};
  const former = before && diff(before, live, looks);
  const known = new Set(former && errorsIn(former.diagnostics).map(({ reason }) => reason));
  const differed = new Set(former?.changes.flatMap(keysOfChange));
  const { changes, diagnostics: problems } = diff(configuration, live, looks);
  const found = [
    // What failed before fails again, unless it is about what is edited.
    ...errorsIn(problems).filter(({ address = '', reason }) => !known.has(reason) || edited.has(address)),
    ...changes.flatMap((change): Problem[] => {
      const { address, fields } = change;
      const isEdited = edited.get(address);
      const left = keysOfChange(change).filter(
        (key) => isEdited?.(key.slice(address.length + 1)) || !differed.has(key),
      );
      // Without its tombstone, a live resource can be one to prune, which is declared next.
      const isUndeclared = !configuration.desired.resources.has(address);
      if (isEdited === undefined || left.length === 0 || isUndeclared) return [];
      const paths = fields.map(({ path }) => path);
      const what = paths.join(', ') || change.action;
      return [{ address, paths, reason: `${what} would differ from the live state` }];
    }),
    ...changedDeclarations(before, configuration, edited),
  ];
  return { configuration, found };
}

function keysOfChange({ address, action, fields }: Change): string[] {
  return action === 'update' ? fields.map(({ path }) => `${address} ${path}`) : [`${address} ${action}`];
}

function errorsIn(diagnostics: readonly Diagnostic[]): Problem[] {
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ address, message }) => ({ address, reason: message }));
}

function changedDeclarations(
  before: Configuration | undefined,
  after: Configuration,
  edited: Proposal['edited'],
): Problem[] {
  if (before === undefined) return [];
  const resources = [...before.desired.resources.values()].flatMap((resource) => {
    const { address } = resource;
    const isKept = meaningOf(resource) === meaningOf(after.desired.resources.get(address));
    return isKept || edited.has(address) ? [] : address;
  });
  const rules = (['scope', 'prune', 'limits', 'guards', 'notify'] as const).filter(
    (key) => withoutPlaces(before[key]) !== withoutPlaces(after[key]),
  );
  return [...resources, ...rules].map((what) => ({ reason: `${what} would be declared differently` }));
}

function meaningOf(resource: Resource | undefined): string {
  const { locations: _locations, ...declared } = resource?.declared ?? {};
  return JSON.stringify([resource?.attributes, declared]);
}

/** A section without its lines, because additions above it shift them. */
function withoutPlaces(rule: unknown): string {
  const isPlace = (value: unknown) => isRecord(value) && 'file' in value && 'line' in value;
  return JSON.stringify(rule, (_key, value: unknown) => (isPlace(value) ? true : value)) ?? '';
}

export async function loadTexts(texts: FileTexts, root: string): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'attune-check-'));
  try {
    for (const [name, text] of texts) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return await loadConfig(join(folder, root));
  } catch (cause) {
    throw new AttuneError(`cannot check the files in ${tmpdir()}: ${(cause as Error).message}`, {
      code: 'file-not-written',
      cause,
      hint: 'free disk space there, or set TMPDIR; no files were written',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
