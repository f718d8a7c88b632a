import { diff } from '../diff/diff.ts';
import { AttuneError, DiagnosticsError } from '../model/attune-error.ts';
import type { Change, ChangeOf } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { nameOfAddress, type ResourceKind } from '../model/state.ts';
import { lookUpNames, type NamesOf } from '../resolve/look-up-names.ts';
import {
  type Acceptance,
  type AcceptContext,
  type Accepting,
  isUnacceptable,
  type Unacceptable,
} from './acceptance.ts';
import { loadTexts, meaningOf } from './check-files.ts';
import { editYaml } from './edit-yaml.ts';
import { grantEdits, projectEdits } from './resource-edits.ts';
import { workspaceEdits } from './workspace-edits.ts';

export interface AcceptInput extends AcceptContext {
  /** The name of the root file. */
  readonly root: string;
  readonly namesOf: NamesOf;
}

/** Files that declare the live state. */
export interface Accepted {
  readonly acceptances: readonly Acceptance[];
  readonly unacceptable: readonly Unacceptable[];
  /** The text of every file after the edits. */
  readonly texts: ReadonlyMap<string, string>;
  /** What they declare, names resolved. */
  readonly configuration: Configuration;
}

/**
 * Edits files so that they declare the live values that are chosen, and checks the result before anybody sees it: a plan
 * of it has none of the accepted differences, and everything else is declared as before.
 *
 * @param earlier what was accepted of the files before, and what could not be: it is not tried again
 * @throws {AttuneError} if the edits do not have that result.
 */
export async function accept(
  input: AcceptInput,
  earlier: Pick<Accepted, 'acceptances' | 'unacceptable'> = { acceptances: [], unacceptable: [] },
): Promise<Accepted> {
  const { texts, configuration } = input;
  let accepted: Accepted = { ...earlier, texts, configuration };
  // A selector is evaluated on tags that are accepted, so an accepted value can make another list differ.
  for (let round = 0; round < mostRounds; round++) {
    const refused = new Set(accepted.unacceptable.map(({ address }) => address));
    const chosen: AcceptInput['chosen'] = (address, path) =>
      !refused.has(address) && input.chosen(address, path);
    const next = await acceptOnce({ ...input, ...accepted, chosen });
    if (next.acceptances.length + next.unacceptable.length === 0) return accepted;
    accepted = {
      ...next,
      acceptances: [...accepted.acceptances, ...next.acceptances],
      unacceptable: [...accepted.unacceptable, ...next.unacceptable],
    };
  }
  return accepted;
}

const mostRounds = 5;

async function acceptOnce(input: AcceptInput): Promise<Accepted> {
  const { configuration, live } = input;
  const before = diff(configuration, live, { purpose: 'drift' });
  const known = new Set(errorsOf(diff(configuration, live).diagnostics).map(({ reason }) => reason));
  const found = before.changes.flatMap((change) => changeEdits(change.kind, change, input) ?? []);
  const unacceptable = found.filter(isUnacceptable);
  let acceptances = found.filter((one): one is Acceptance => !isUnacceptable(one));
  for (;;) {
    const { texts, failed } = editAll(input.texts, acceptances);
    if (failed.length > 0) {
      unacceptable.push(...failed);
      acceptances = acceptances.filter(({ address }) => !failed.some((one) => one.address === address));
      continue;
    }
    if (acceptances.length === 0) return { acceptances, unacceptable, texts, configuration };
    const checked = await check(texts, input, { acceptances, changes: before.changes, known });
    if (checked.configuration && checked.problems.length === 0) {
      return { acceptances, unacceptable, texts, configuration: checked.configuration };
    }
    const refused = refusedBy(checked.problems, acceptances);
    if (refused.length === 0) throw notAcceptable(checked.problems);
    unacceptable.push(...refused);
    acceptances = acceptances.filter(({ address }) => !refused.some((one) => one.address === address));
  }
}

/** The edits that make a resource of each kind as it is live. */
const kinds: {
  readonly [Kind in ResourceKind]: (change: ChangeOf<Kind>, context: AcceptContext) => Accepting | undefined;
} = {
  project: projectEdits,
  workspace: workspaceEdits,
  'team-access': grantEdits,
};

function changeEdits<Kind extends ResourceKind>(
  kind: Kind,
  change: ChangeOf<Kind>,
  context: AcceptContext,
): Accepting | undefined {
  return kinds[kind](change, context);
}

/** What has a problem: by its address, else by the name of a removed declaration. */
function refusedBy(problems: readonly CheckProblem[], acceptances: readonly Acceptance[]): Unacceptable[] {
  return acceptances.flatMap(({ address, fields }): Unacceptable[] => {
    const isRemoved = fields.some(({ path, after }) => path === '' && after === null);
    const name = nameOfAddress(address);
    const problem =
      problems.find((one) => one.address === address) ??
      problems.find(({ reason }) => isRemoved && reason.includes(`"${name}"`));
    if (problem === undefined) return [];
    return [{ address, reason: problem.reason, hint: manually }];
  });
}

const manually = 'edit the file manually, or replace the anchors of its keys with values';

interface Edited {
  readonly texts: ReadonlyMap<string, string>;
  /** What cannot be edited. */
  readonly failed: readonly Unacceptable[];
}

function editAll(texts: ReadonlyMap<string, string>, acceptances: readonly Acceptance[]): Edited {
  const edited = new Map(texts);
  const failed: Unacceptable[] = [];
  for (const { address, edits } of acceptances) {
    try {
      for (const edit of edits) {
        const text = edited.get(edit.file);
        if (text === undefined) throw notEditable(edit.file);
        edited.set(edit.file, editYaml(text, edit));
      }
    } catch (error) {
      if (!(error instanceof AttuneError)) throw error;
      failed.push({ address, reason: error.message, hint: error.hint ?? manually });
    }
  }
  return { texts: edited, failed };
}

/** The locations of a file that a program wrote are in the program, or wherever the file claims. */
function notEditable(file: string): AttuneError {
  return new AttuneError(`its declaration is in ${file}, which is not a file of the configuration`, {
    code: 'not-acceptable',
    hint: 'change the program that declares it',
  });
}

/** Something that the edited files would change besides what is accepted. */
interface CheckProblem {
  readonly address: string | undefined;
  readonly reason: string;
}

interface Checked {
  readonly configuration?: Configuration;
  readonly problems: readonly CheckProblem[];
}

async function check(
  texts: ReadonlyMap<string, string>,
  { root, namesOf, live, configuration: former }: AcceptInput,
  {
    acceptances,
    changes,
    known,
  }: {
    readonly acceptances: readonly Acceptance[];
    readonly changes: readonly Change[];
    /** The errors that a plan had before. */
    readonly known: ReadonlySet<string>;
  },
): Promise<Checked> {
  const { configurations, diagnostics } = await loadTexts(texts, root);
  const [loaded] = configurations;
  if (loaded === undefined) return { problems: errorsOf(diagnostics) };
  // A removed project may still be named by a workspace that is not accepted.
  const configuration = await lookUpNames(loaded, namesOf).catch((error: unknown) => {
    if (error instanceof DiagnosticsError) return error;
    throw error;
  });
  if (configuration instanceof DiagnosticsError) return { problems: errorsOf(configuration.diagnostics) };
  const accepted = new Map(acceptances.map((one) => [one.address, one]));
  // As `apply` checks them. What failed before fails again, unless it concerns what is accepted.
  const difference = diff(configuration, live);
  const errors = errorsOf(difference.diagnostics).filter(
    ({ address, reason }) => !known.has(reason) || accepted.has(address ?? ''),
  );
  if (errors.length > 0) return { problems: errors };
  const expected = new Set(
    changes.flatMap((change) =>
      keysOf(change).filter((key) => !isAccepted(accepted.get(change.address), key)),
    ),
  );
  const left = difference.changes.flatMap((change) => keysOf(change).map((key) => ({ key, change })));
  const problems = [
    ...left
      .filter(({ key, change }) => accepted.has(change.address) && !expected.has(key))
      .map(({ key, change: { address } }) => ({ address, reason: `${key} would still differ` })),
    ...[...former.desired.resources.values()]
      .filter(
        (resource) =>
          !accepted.has(resource.address) &&
          meaningOf(resource) !== meaningOf(configuration.desired.resources.get(resource.address)),
      )
      .map(({ address }) => ({ address: undefined, reason: `${address} would be declared differently` })),
  ];
  return { configuration, problems };
}

/** Each difference of a change; a create and a delete are one. */
function keysOf({ address, action, fields }: Change): string[] {
  return action === 'update' ? fields.map(({ path }) => `${address} ${path}`) : [`${address} ${action}`];
}

function isAccepted(acceptance: Acceptance | undefined, key: string): boolean {
  if (acceptance === undefined) return false;
  return acceptance.fields.some(({ path }) => path === '' || key === `${acceptance.address} ${path}`);
}

function errorsOf(
  diagnostics: readonly { readonly severity: string; readonly address?: string; readonly message: string }[],
): CheckProblem[] {
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ address, message }) => ({ address, reason: message }));
}

function notAcceptable(problems: readonly CheckProblem[]): AttuneError {
  const [first] = problems;
  return new AttuneError(
    `the live values cannot be accepted: ${first?.reason ?? 'the files would have errors'}`,
    { code: 'not-acceptable', hint: `${manually}; no file was written` },
  );
}
