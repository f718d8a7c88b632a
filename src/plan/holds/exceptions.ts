import { shownAs } from '../../desired/configuration.ts';
import { referencePaths } from '../../model/alias-kind.ts';
import { isUnder } from '../../model/attributes.ts';
import { type Change, type FieldChange, fieldsTogether, type GrantChange } from '../../model/change.ts';
import { type Diagnostic, note, problem } from '../../model/diagnostic.ts';
import type { Exception } from '../../model/hold.ts';
import { isPermissionPath } from '../../model/permissions.ts';
import { counted } from '../../model/text.ts';
import { day, printTime } from '../../model/time.ts';
import { isRecord, sameValue, type Value, type Values } from '../../model/value.ts';
import { matchesAddress } from '../../model/wildcard.ts';
import { loweredAccess, loweredPermission } from '../lowered-access.ts';
import type { FoundHolds, HoldInput } from './hold-input.ts';

export const defaultExceptionDays = 90;

type ExceptionInput = Pick<
  HoldInput,
  'configuration' | 'live' | 'difference' | 'everything' | 'now' | 'chosen'
>;

interface ExceptionHolds extends FoundHolds {
  readonly diagnostics: readonly Diagnostic[];
}

/** The known differences. An exception that ended, or that holds nothing back, is a note. */
export function exceptionHolds(exceptions: readonly Exception[], input: ExceptionInput): ExceptionHolds {
  const found = exceptions.map((exception) => holdsOf(exception, input));
  return {
    held: found.flatMap(({ held }) => held),
    diagnostics: found.flatMap(({ diagnostics }) => diagnostics),
    isDated: found.some(({ isDated }) => isDated),
  };
}

function holdsOf(exception: Exception, input: ExceptionInput): ExceptionHolds {
  const { address, field, until, reason } = exception;
  const differingIn = ({ changes }: HoldInput['difference']) =>
    changes.flatMap((change) => {
      const [first] = change.action === 'update' ? fieldsOf(change, field) : [];
      return first && matchesAddress(address, change.address) ? [{ change, first }] : [];
    });
  const differing = differingIn(input.difference);
  const about = `the exception for ${field} of ${address}`;
  const unused = (message: string, hint: string): Diagnostic =>
    note('exception-unused', message, { at: exception.location, hint });
  if (input.now >= until.time) {
    const ended = `${about} ended on ${until.written} (${reason})`;
    const hint = 'remove the exception, or declare the live value';
    const again = differing.map(({ change }) => change.address).join(', ');
    const message =
      differing.length > 0 ? `${ended}: ${again} ${differing.length > 1 ? 'are' : 'is'} drift again` : ended;
    return {
      held: [],
      diagnostics: isAsked(exception, input) ? [{ ...unused(message, hint), code: 'exception-ended' }] : [],
      isDated: differing.length > 0,
    };
  }
  const problems = differing.map(({ change, first }) => whyNotHeld(exception, change, first, input));
  const held = differing.flatMap(({ change }, index) => {
    if (problems[index] !== undefined) return [];
    const fields = heldFields(change, field);
    return [{ change, hold: { by: 'exception', reason, until: until.written, fields } as const }];
  });
  const why = problems[0] ?? 'no such difference';
  const isLeftOut = differing.length === 0 && differingIn(input.everything).length > 0;
  const isUnused = held.length === 0 && !isLeftOut && isAsked(exception, input);
  return {
    held,
    diagnostics: isUnused
      ? [unused(`${about} holds nothing back: ${why}`, 'remove the exception, or correct it')]
      : [],
    isDated: held.length > 0,
  };
}

/** Whether the run looks at what the exception is about. */
function isAsked({ address }: Exception, { configuration, chosen }: ExceptionInput): boolean {
  const matched = [...configuration.desired.resources.keys()].filter((one) => matchesAddress(address, one));
  return matched.length === 0 ? chosen(address) : matched.some(chosen);
}

/** Why a difference is not a known one; `undefined` if it is. */
function whyNotHeld(
  { value, field }: Exception,
  change: Change,
  known: FieldChange,
  input: ExceptionInput,
): string | undefined {
  const whyNot = change.kind === 'team-access' ? whyNotKept(change, known) : undefined;
  if (whyNot !== undefined) return whyNot;
  if (value === undefined) return undefined;
  const live = liveValue(change, { field, value });
  const shown = shownLive(field, live, input);
  if ([live, shown].some((one) => isSame(one, value))) return undefined;
  return `${field} of ${change.address} is ${JSON.stringify(shown)}, and not ${JSON.stringify(value)}`;
}

/** The live value of a field. Of a repository, the keys that differ and those of the known value, but no switch that is off. */
function liveValue(
  change: Change,
  { field, value }: { readonly field: string; readonly value: Value },
): Value {
  const found = fieldsOf(change, field);
  const whole = found.find(({ path }) => path === field)?.before;
  if (whole !== undefined && (field !== 'vcs-repo' || !isRecord(whole))) return whole;
  const attributes: Values = change.live?.attributes ?? {};
  const differing = whole
    ? Object.keys(whole).filter((key) => whole[key] !== false)
    : found.map(({ path }) => path.slice(field.length + 1));
  const known = isRecord(value) ? Object.keys(value) : [];
  const keys = [...differing, ...known].map((key) => [key, attributes[`${field}.${key}`] ?? null] as const);
  return keys.every(([, one]) => one === null) ? null : Object.fromEntries(keys);
}

/** Why access cannot stay as it is; `undefined` if it can. */
function whyNotKept(change: GrantChange, { path, before, after }: FieldChange): string | undefined {
  const lowered = `${change.address} has more access than declared, which no exception keeps`;
  if (!isPermissionPath(path)) return loweredAccess(change) ? lowered : undefined;
  if (change.fields.some((field) => field.path === 'access'))
    return `${change.address} has another level than declared, which decides all permissions`;
  return loweredPermission(path, before, after) ? lowered : undefined;
}

/** An alias, and names of workspaces, instead of ids. */
export function shownLive(
  field: string,
  value: Value,
  { configuration, live }: Pick<HoldInput, 'configuration' | 'live'>,
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

function isSame(live: Value, known: Value): boolean {
  const sorted = (value: Value) => (Array.isArray(value) ? value.map(String).sort() : value);
  return sameValue(sorted(live), sorted(known));
}

function fieldsOf({ fields }: Change, field: string): readonly FieldChange[] {
  return fields.filter(({ path }) => isUnder(path, field));
}

/** The fields of a change that wait with a field: the service changes them together, or one is void without the other. */
function heldFields({ kind, fields }: Change, field: string): readonly string[] {
  const together = fieldsTogether(kind, field);
  return fields.map(({ path }) => path).filter((path) => isUnder(path, field) || together.includes(path));
}

/** Exceptions that last longer than `limits.exception-days` allow. */
export function checkExceptionDays(
  exceptions: readonly Exception[],
  { exceptionDays = defaultExceptionDays }: { readonly exceptionDays?: number | undefined },
  now: number,
): Diagnostic[] {
  return exceptions.flatMap(({ address, field, until, location }) => {
    if (until.time - now <= exceptionDays * day) return [];
    // A date ends a day after it begins.
    const latest = printTime(now + (exceptionDays - 1) * day).slice(0, 10);
    return [
      problem(
        'exception-too-long',
        `the exception for ${field} of ${address} lasts until ${until.written}, and limits.exception-days allows ${counted(exceptionDays, 'day')}`,
        { at: location, hint: `write ${latest} or an earlier date, or raise limits.exception-days` },
      ),
    ];
  });
}
