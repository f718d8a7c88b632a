import { located } from '../diff/comparison.ts';
import { diff } from '../diff/diff.ts';
import { defaultExceptionDays } from '../hold/at-time.ts';
import { exceptionHolds, shownLive } from '../hold/exceptions.ts';
import { isUnder } from '../model/attributes.ts';
import { changesOf } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, DiagnosticsError, hasErrors, usageError } from '../model/diagnostic.ts';
import type { AcceptedValue, AcceptResult } from '../model/results.ts';
import { consumersIn, grantAddress, resourcesOf, type WorkspaceValues } from '../model/state.ts';
import { day, isRecord, momentOf, momentPattern, printTime, type Values } from '../model/value.ts';
import type { NamesOf } from '../resolve/look-up-names.ts';
import type { ServiceReader } from '../service/client.ts';
import { type Acceptance, type AcceptContext, editsOf, refusal } from './accept-edits.ts';
import {
  checkedTexts,
  type FileTexts,
  type FoundProblems,
  loadTexts,
  type Problem,
} from './checked-texts.ts';
import { type Edit, editYaml } from './edit-yaml.ts';
import { declaredLabels } from './entry.ts';
import { writeImport } from './import.ts';
import { readOrganization } from './read-organization.ts';

export interface AcceptInput
  extends Omit<AcceptContext, 'labels'>,
    Readonly<Record<'root' | 'schema', string>> {
  readonly namesOf: NamesOf;
  readonly reader: ServiceReader;
}

interface AcceptedFiles
  extends Pick<AcceptContext, 'texts'>,
    Pick<AcceptResult, 'fields' | 'declared' | 'exceptions' | 'diagnostics'> {}

export async function accept(input: AcceptInput): Promise<AcceptedFiles> {
  const nothing = { acceptances: [], refusals: [], declared: [], diagnostics: [] };
  const first = await acceptAll({ ...input, ...nothing }, { ...input, chosen: withoutLiveLists(input) });
  // A list stays if it gives the live one beside all other accepted values. A selector also matches what is declared now.
  const accepted = await acceptAll(await declareLive({ ...first, refusals: [] }, input), input);
  const { texts, declared, refusals, diagnostics } = accepted;
  const fields = acceptedValues(accepted, input.configuration);
  return { texts, declared, fields, diagnostics: [...refusals, ...diagnostics] };
}

/** A list with a name that is not live has to change, and keeps the declaration of that name from being removed. */
function withoutLiveLists({ configuration, live, chosen }: AcceptInput): AcceptInput['chosen'] {
  const known = new Set([...live.names].flat());
  const workspaces = resourcesOf(configuration.desired.resources.values(), 'workspace');
  const lists = workspaces.filter(({ attributes }) =>
    consumersIn(attributes['remote-state-consumers']).every((one) => isRecord(one) || known.has(one)),
  );
  const apart = new Set(lists.map(({ address }) => `${address} remote-state-consumers`));
  return (address, path) => chosen(address, path) && !apart.has(`${address} ${path}`);
}

interface Accepted
  extends Pick<AcceptContext, 'configuration' | 'live'>,
    Pick<AcceptedFiles, 'texts' | 'declared' | 'diagnostics'> {
  readonly acceptances: readonly Acceptance[];
  readonly refusals: AcceptResult['diagnostics'];
}

const mostRounds = 5;

/** A selector is evaluated on tags that are accepted, so an accepted value can make another list differ. */
async function acceptAll(first: Accepted, input: AcceptInput): Promise<Accepted> {
  let accepted = first;
  for (let round = 1; round <= mostRounds; round++) accepted = await acceptOnce(accepted, input, round);
  return accepted;
}

async function acceptOnce(accepted: Accepted, input: AcceptInput, round: number): Promise<Accepted> {
  const { configuration, live, texts } = accepted;
  const refused = new Set(accepted.refusals.map(({ address }) => address));
  const chosen: AcceptInput['chosen'] = (address, path) =>
    !refused.has(address) && input.chosen(address, path);
  const context = { configuration, live, texts, chosen, labels: declaredLabels(configuration, live) };
  const { changes } = diff(configuration, live, { purpose: 'drift' });
  const found = changes.flatMap((change) => editsOf(change, context) ?? []);
  if (found.length === 0) return accepted;
  const acceptances = found.filter((one) => 'edits' in one);
  const proposeAll = (problems: FoundProblems) => propose(acceptances, texts, problems);
  const checking = { ...input, live, before: configuration, fail: notAcceptable };
  const { problems, ...checked } = await checkedTexts(proposeAll, checking);
  // What differs only beside accepted values is accepted together with them in the next round.
  const isRepeated = round < mostRounds && checked.acceptances.length > 0;
  const left = isRepeated ? [] : [...problems];
  return {
    ...{ ...accepted, texts: checked.texts, configuration: checked.configuration },
    acceptances: [...accepted.acceptances, ...checked.acceptances],
    refusals: [
      ...accepted.refusals,
      ...found.filter((one) => 'code' in one),
      ...checked.refusals,
      ...left.flatMap(([one, [first]]) => (first ? refusalOf(one, first, checked.configuration) : [])),
    ],
  };
}

const manually = 'edit the file manually';

function refusalOf(address: string, { address: about, reason }: Problem, { desired }: Configuration) {
  if (about === address) return refusal(address, reason, manually);
  const { id, name } = desired.resources.get(address) ?? {};
  const others = [...desired.resources.values()].flatMap((other) => {
    const { project, 'remote-state-consumers': list } = other.attributes as WorkspaceValues;
    const isNamed = id ? project === id : consumersIn(list).some((one) => one === name);
    const { location } = located(other, id ? 'project' : `remote-state-consumers ${name}`);
    return isNamed ? `${other.address} (${location?.file}:${location?.line})` : [];
  });
  const these = others.join(', ') || 'these';
  return refusal(address, `other lines need it: ${reason}`, `accept ${these}, too, or ${manually}`);
}

function notAcceptable(reason: string): AttuneError {
  return new AttuneError(`the live values cannot be accepted: ${reason}`, {
    code: 'not-acceptable',
    hint: `${manually}; no file was written`,
  });
}

function propose(acceptances: readonly Acceptance[], before: FileTexts, problems: FoundProblems) {
  const done: Acceptance[] = [];
  const refusals: ReturnType<typeof refusal>[] = [];
  let texts = before;
  for (const acceptance of acceptances.filter(({ address }) => !problems.has(address))) {
    try {
      texts = edited(texts, acceptance.edits);
      done.push(acceptance);
    } catch (error) {
      if (!(error instanceof AttuneError)) throw error;
      refusals.push(refusal(acceptance.address, error.message, error.hint ?? manually));
    }
  }
  const fieldsOf = ({ address, fields }: Acceptance) => {
    const paths = new Set(fields.map(({ path }) => path));
    return [address, (path: string) => paths.has('') || paths.has(path)] as const;
  };
  return { texts, refusals, acceptances: done, edited: new Map(done.map(fieldsOf)) };
}

function edited(texts: FileTexts, edits: readonly Edit[]): FileTexts {
  const all = new Map(texts);
  for (const edit of edits) {
    const text = all.get(edit.file);
    // The locations of a file that a program wrote are in the program, or wherever the file claims.
    if (text === undefined)
      throw new AttuneError(`its declaration is in ${edit.file}, which is not a file of the configuration`, {
        code: 'not-acceptable',
        hint: 'change the program that declares it',
      });
    all.set(edit.file, editYaml(text, edit));
  }
  return all;
}

async function declareLive(accepted: Accepted, input: AcceptInput): Promise<Accepted> {
  const { configuration, live, texts } = accepted;
  const { namesOf, root, schema } = input;
  const { changes, unmanaged, undeclaredAccess } = diff(configuration, live, { purpose: 'drift' });
  const pruned = changesOf(changes, 'workspace').filter(
    ({ action, location }) => action === 'delete' && location === undefined,
  );
  const addresses = [...unmanaged, ...pruned.map(({ address }) => address)].filter((address) =>
    input.chosen(address, ''),
  );
  if (addresses.length === 0) return accepted;
  const grants = undeclaredAccess.filter(({ address }) => addresses.includes(address));
  const selection = {
    only: addresses,
    grants: new Set(grants.map(({ projectId, teamId }) => grantAddress(projectId, teamId))),
  };
  const { organization } = configuration.desired;
  const query = { organization, selection, namesOf, dialect: live.dialect };
  const reading = await readOrganization(input.reader, query);
  const files = { isNew: false, root, schema, texts, configuration } as const;
  const imported = await writeImport({
    ...{ reading, selection, namesOf, files },
    ...{ isFull: false, isPortable: false },
  });
  const resources = new Map([...live.state.resources, ...reading.live.state.resources]);
  return {
    ...accepted,
    texts: imported.texts,
    configuration: imported.configuration,
    diagnostics: imported.diagnostics.map((one) =>
      addresses.includes(one.address ?? '') && imported.omitted.has(one.address ?? '')
        ? { ...one, severity: 'error', code: 'not-acceptable', hint: manually }
        : one,
    ),
    live: { ...live, state: { ...live.state, resources } },
    declared: addresses.filter((address) => !imported.omitted.has(address)),
  };
}

function acceptedValues({ acceptances, configuration }: Accepted, former: Configuration): AcceptedValue[] {
  return acceptances.flatMap(({ address, fields }) => {
    const { declared, location: block } =
      configuration.desired.resources.get(address) ?? former.desired.resources.get(address) ?? {};
    return fields.map((field) => {
      const places = [field.path, field.path.split('.')[0] ?? ''].map((path) => declared?.locations?.[path]);
      return { address, ...field, location: places.find(Boolean) ?? block };
    });
  });
}

type ExceptionOptions = Readonly<Record<'until' | 'reason', string | undefined>> & {
  readonly addresses: readonly string[];
  readonly fields: readonly string[] | undefined;
};

export function exceptionRequest(
  { addresses, fields, until, reason }: ExceptionOptions,
  { limits }: Pick<Configuration, 'limits'>,
  now: number,
) {
  if (until === undefined && reason === undefined) return undefined;
  if (until === undefined || !reason?.trim() || !fields?.length || addresses.includes('*'))
    throw usageError(
      'an exception requires addresses, a field, a date and a reason',
      'run `attune accept ADDRESS --field NAME --until DATE --reason TEXT`',
    );
  const moment = momentPattern.test(until) ? momentOf(until) : undefined;
  const { exceptionDays: days = defaultExceptionDays } = limits;
  const latest = printTime(now + (days - 1) * day).slice(0, 10);
  if (moment === undefined || moment.time <= now || moment.time - now > days * day)
    throw new AttuneError(`an exception cannot end on ${JSON.stringify(until)}`, {
      code: 'bad-value',
      hint: `give a date or a time with a zone, until ${latest} (limits.exception-days)`,
    });
  return { fields, until: moment, reason, now };
}

export async function addExceptions(
  { configuration, live, texts, root, chosen }: Omit<AcceptInput, 'reader' | 'schema' | 'namesOf'>,
  { fields, until, reason, now }: NonNullable<ReturnType<typeof exceptionRequest>>,
): Promise<AcceptedFiles> {
  const found = diff(configuration, live, { purpose: 'drift' });
  const differing = found.changes.flatMap(({ address, action, fields }) =>
    action === 'update'
      ? fields.filter(({ path }) => chosen(address, path)).map((field) => ({ address, ...field }))
      : [],
  );
  const missing = fields.find((name) => !differing.some(({ path }) => isUnder(path, name)));
  if (missing !== undefined)
    throw new AttuneError(`no exception is written: no live value of ${missing} differs`, {
      code: 'not-acceptable',
      hint: 'run `attune drift` to list the differences',
    });
  const entries = differing.map(({ address, path, before }) => {
    const value = shownLive(path, before, { configuration, live });
    return { address, field: path, value, until: until.written, reason };
  });
  const { exceptions: former } = configuration.settings ?? {};
  const isReplaced = ({ address, field }: Values) =>
    entries.some((entry) => entry.address === address && entry.field === field);
  const kept = Array.isArray(former) ? (former as Values[]).filter((one) => !isReplaced(one)) : [];
  const value = [...kept, ...entries];
  const text = texts.get(root) ?? '';
  const edited = new Map(texts).set(root, editYaml(text, { file: root, path: ['exceptions'], value }));
  const { configurations, diagnostics } = await loadTexts(edited, root);
  const [loaded] = configurations;
  if (loaded === undefined) throw new DiagnosticsError(diagnostics.filter((one) => hasErrors([one])));
  const exceptions = entries.map((entry) => {
    const added = loaded.holds?.exceptions.find(
      ({ address, field }) => address === entry.address && field === entry.field,
    );
    const context = { configuration, live, found, now, chosen: () => true };
    const [unused] = added ? exceptionHolds([added], context).diagnostics : [];
    if (unused)
      throw new AttuneError(unused.message, {
        code: 'not-acceptable',
        hint: 'run `attune apply` to revert it, or accept it without --until; no file was written',
      });
    return { ...entry, location: added?.location };
  });
  return { exceptions, texts: edited, fields: [], declared: [], diagnostics: [] };
}
