import { sameAttribute } from '../diff/fields.ts';
import { isUnder, referencePaths } from '../model/attributes.ts';
import { type Change, type FieldChange, fieldsTogether, type GrantChange } from '../model/change.ts';
import { shownAs } from '../model/configuration.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import { loweredAccess, loweredPermission } from '../model/lowered-access.ts';
import { isPermissionPath } from '../model/permissions.ts';
import type { Exception } from '../model/rules.ts';
import { matchesAddress } from '../model/selector.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import type { Filtered, FilterInput, Keep } from './keep-live.ts';

interface ExceptionInput extends Pick<FilterInput, 'configuration' | 'live' | 'found' | 'now' | 'chosen'> {
  /** Without what another filter keeps. @default all that is found */
  readonly changes?: readonly Change[];
}

/** The known differences. An exception that ended, or that holds nothing back, is a note. */
export function exceptionHolds(exceptions: readonly Exception[], input: ExceptionInput): Required<Filtered> {
  const found = exceptions.map((exception) => holdsOf(exception, exceptions, input));
  return {
    keeps: [
      ...found.flatMap(({ keeps }) => keeps),
      ...exceptions.flatMap((exception) => unchangedLists(exception, input)),
    ],
    diagnostics: found.flatMap(({ diagnostics }) => diagnostics),
    isDated: found.some(({ isDated }) => isDated),
  };
}

function holdsOf(exception: Exception, all: readonly Exception[], input: ExceptionInput): Required<Filtered> {
  const { address, field, until, reason, root, location } = exception;
  const differingIn = (changes: readonly Change[]) =>
    changes.flatMap((change) => {
      const [first] = change.action === 'update' ? fieldsOf(change, field) : [];
      return first && isAbout(exception, change.address) ? [{ change, first }] : [];
    });
  const differing = differingIn(input.changes ?? input.found.changes);
  const about = `the exception for ${field} of ${address}`;
  const unused = (message: string, hint: string): Diagnostic =>
    note('exception-unused', message, { at: { root, location }, hint });
  if (input.now >= until.time) {
    const ended = `${about} ended on ${until.written} (${reason})`;
    const later = all.filter((other) => other.field === field && input.now < other.until.time);
    const again = differing.flatMap(({ change }) =>
      later.some((other) => isAbout(other, change.address)) ? [] : change.address,
    );
    const isDated = again.length > 0;
    const message = isDated
      ? `${ended}: ${again.join(', ')} ${again.length > 1 ? 'are' : 'is'} drift again`
      : ended;
    // Without the exception, --due restores nothing.
    const hint = `${isDated ? 'run `attune apply --due`, then ' : ''}remove the exception, or declare the live value`;
    return {
      keeps: [],
      diagnostics: isAsked(exception, input, 'some')
        ? [{ ...unused(message, hint), code: 'exception-ended' }]
        : [],
      isDated,
    };
  }
  const problems = differing.map(({ change, first }) => whyNotHeld(exception, change, first, input));
  const keeps = differing.flatMap(({ change }, index) =>
    problems[index] === undefined ? keepOf(exception, change.address, keptWith(change, field)) : [],
  );
  const why = problems[0] ?? 'no such difference';
  const isLeftOut = differing.length === 0 && differingIn(input.found.changes).length > 0;
  const isUnused = keeps.length === 0 && !isLeftOut && isAsked(exception, input, 'every');
  return {
    keeps,
    diagnostics: isUnused
      ? [unused(`${about} holds nothing back: ${why}`, 'remove the exception, or correct it')]
      : [],
    isDated: keeps.length > 0,
  };
}

/** The fields of a change that are kept with a field: the service changes them together, or one is void without the other. */
function keptWith({ kind, fields }: Change, field: string): readonly string[] {
  // A key of a repository that is not connected is kept only if nothing connects it.
  const connects = fields.some(({ path, before }) => path === 'vcs-repo.identifier' && before === null);
  const kept = connects && isUnder(field, 'vcs-repo') ? 'vcs-repo' : field;
  const together = fieldsTogether[kind](kept);
  return fields.map(({ path }) => path).filter((path) => isUnder(path, kept) || together.includes(path));
}

function keepOf({ reason, until }: Exception, address: string, fields: readonly string[]): Keep {
  return { address, fields, hold: { by: 'exception', reason, until: until.written, fields } };
}

/** Lists of consumers that do not differ: what waits elsewhere can change what they select. Nothing else can begin to differ. */
function unchangedLists(exception: Exception, input: ExceptionInput): Keep[] {
  const { field, value, until } = exception;
  const { configuration, found, now } = input;
  if (field !== 'remote-state-consumers' || value !== undefined || now >= until.time) return [];
  const differing = new Set(
    found.changes.flatMap((change) => fieldsOf(change, field).map(() => change.address)),
  );
  return [...configuration.desired.resources.keys()]
    .filter((one) => isAbout(exception, one) && !differing.has(one))
    .map((one) => keepOf(exception, one, [field]));
}

/** An exception of one of several root files is about what that file declares. */
function isAbout({ address, isOwn }: Exception, one: string): boolean {
  return matchesAddress(address, one) && (isOwn?.(one) ?? true);
}

function isAsked(
  exception: Exception,
  { configuration, chosen }: ExceptionInput,
  much: 'some' | 'every',
): boolean {
  const matched = [...configuration.desired.resources.keys()].filter((one) => isAbout(exception, one));
  return matched.length === 0 ? chosen(exception.address) : matched[much](chosen);
}

function whyNotHeld(
  { value, field }: Exception,
  change: Change,
  first: FieldChange,
  input: ExceptionInput,
): string | undefined {
  const whyNot = change.kind === 'team-access' ? whyNotKept(change, first) : undefined;
  if (whyNot !== undefined || value === undefined) return whyNot;
  const differing = new Map(fieldsOf(change, field).map(({ path, before }) => [path, before]));
  const keys = isRecord(value) && !differing.has(field) ? Object.keys(value) : [];
  const attributes: Values = change.live?.attributes ?? {};
  // A key that is live as declared differs from the known value, too.
  const compared = new Map([
    ...keys.map((key) => [`${field}.${key}`, attributes[`${field}.${key}`] ?? null] as const),
    ...differing,
  ]);
  const shown = [...compared].map(([path, before]) => {
    const key = path.slice(field.length + 1);
    const known = key !== '' && isRecord(value) ? (value[key] ?? null) : value;
    return { path, before, known, shown: shownLive(path, before, input) };
  });
  const other = shown.find(
    ({ path, before, known, shown }) => ![before, shown].some((one) => isSame(path, one, known)),
  );
  return (
    other &&
    `${other.path} of ${change.address} is ${JSON.stringify(other.shown)}, and not ${JSON.stringify(other.known)}`
  );
}

function whyNotKept(change: GrantChange, { path, before, after }: FieldChange): string | undefined {
  const lowered = `${change.address} has more access than declared, which no exception keeps`;
  if (!isPermissionPath(path)) return loweredAccess(change) ? lowered : undefined;
  if (change.fields.some((field) => field.path === 'access'))
    return `${change.address} has another level than declared, which decides all permissions`;
  return loweredPermission(path, before, after) ? lowered : undefined;
}

export function shownLive(
  field: string,
  value: Value,
  { configuration, live }: Pick<FilterInput, 'configuration' | 'live'>,
): Value {
  const kind = referencePaths[field];
  if (kind !== undefined && typeof value === 'string') return shownAs(configuration, kind, value);
  if (isRecord(value)) {
    const shown = Object.entries(value as Values).map(([key, one]) => [
      key,
      shownLive(`${field}.${key}`, one, { configuration, live }),
    ]);
    return Object.fromEntries(shown);
  }
  if (field !== 'remote-state-consumers' || !Array.isArray(value)) return value;
  return value.map((id) => live.names.get(String(id)) ?? id);
}

function isSame(field: string, live: Value, known: Value): boolean {
  const sorted = (value: Value) => (Array.isArray(value) ? value.map(String).sort() : value);
  return sameAttribute(field, sorted(live), sorted(known));
}

function fieldsOf({ fields }: Change, field: string): readonly FieldChange[] {
  return fields.filter(({ path }) => isUnder(path, field));
}
