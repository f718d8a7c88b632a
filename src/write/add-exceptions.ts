import { parse } from 'yaml';
import { diff } from '../diff/diff.ts';
import { defaultExceptionDays } from '../hold/at-time.ts';
import { exceptionHolds, shownLive } from '../hold/exceptions.ts';
import type { AcceptedException } from '../model/accept-result.ts';
import { isUnder } from '../model/attributes.ts';
import { AttuneError, DiagnosticsError, usageError } from '../model/attune-error.ts';
import type { Change } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { hasErrors, problem } from '../model/diagnostic.ts';
import { type Exception, noHoldRules } from '../model/hold.ts';
import { day, type Moment, momentOf, momentPattern, printTime } from '../model/time.ts';
import { isRecord, type Value } from '../model/value.ts';
import { matchesAddress } from '../model/wildcard.ts';
import { lookUpNames } from '../resolve/look-up-names.ts';
import type { AcceptInput } from './accept.ts';
import { loadTexts } from './check-files.ts';
import { editYaml } from './edit-yaml.ts';

/** Differences that are known until a date. */
export interface ExceptionRequest {
  readonly fields: readonly string[];
  readonly until: Moment;
  readonly reason: string;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** How a user asks for an exception. */
interface ExceptionOptions {
  readonly addresses: readonly string[];
  readonly fields: readonly string[] | undefined;
  readonly until: string | undefined;
  readonly reason: string | undefined;
}

/** @throws {AttuneError} if the options of an exception do not go together, or its date is not possible. */
export function exceptionRequest(
  { addresses, fields, until, reason }: ExceptionOptions,
  { now, configuration }: Pick<ExceptionRequest, 'now'> & Pick<AcceptInput, 'configuration'>,
): ExceptionRequest | undefined {
  if (until === undefined && reason === undefined) return undefined;
  if (until === undefined || !reason?.trim() || !fields?.length || addresses.includes('*'))
    throw usageError(
      'an exception requires addresses, a field, a date and a reason',
      'run `attune accept ADDRESS --field NAME --until DATE --reason TEXT`',
    );
  const moment = momentPattern.test(until) ? momentOf(until) : undefined;
  if (moment === undefined)
    throw new AttuneError(`${JSON.stringify(until)} is neither a date nor a time with a zone`, {
      code: 'bad-value',
      hint: 'give a date such as 2026-12-31, or a time such as 2026-12-31T18:00:00Z',
    });
  checkUntil(moment, { now, days: configuration.limits.exceptionDays ?? defaultExceptionDays });
  return { fields, until: moment, reason, now };
}

/** Files with exceptions for the chosen differences. */
export interface AddedExceptions {
  readonly exceptions: readonly AcceptedException[];
  /** The text of every file after the edits. */
  readonly texts: ReadonlyMap<string, string>;
  /** What they declare, names resolved. */
  readonly configuration: Configuration;
}

/**
 * Adds an exception with the live value to the root file for each chosen difference.
 *
 * @throws {AttuneError} if there is no such difference, it already has an exception, or no exception can hold it back.
 */
export async function addExceptions(
  input: AcceptInput & { readonly request: ExceptionRequest },
): Promise<AddedExceptions> {
  const { configuration, live, texts, root, request, namesOf, chosen } = input;
  const { until, reason, now, fields } = request;
  const difference = diff(configuration, live, { purpose: 'drift' });
  const updates = difference.changes.filter(({ action }) => action === 'update');
  const missing = fields.find((field) => !updates.some((change) => differs(change, field, chosen)));
  if (missing !== undefined) throw noDifference(missing);
  const entries = updates.flatMap((change) => {
    const paths = change.fields.filter(({ path }) => chosen(change.address, path));
    return paths.map(({ path, before }) => {
      refuseOverlap(change.address, path, configuration.holds?.exceptions ?? []);
      const value = shownLive(path, before, { configuration, live });
      return { address: change.address, field: path, value, until: until.written, reason };
    });
  });
  const edited = new Map(texts).set(root, withExceptions(texts.get(root) ?? '', root, entries));
  const { configurations, diagnostics } = await loadTexts(edited, root);
  const [loaded] = configurations;
  if (loaded === undefined) throw new DiagnosticsError(diagnostics.filter((one) => hasErrors([one])));
  const after = await lookUpNames(loaded, namesOf);
  const { exceptions } = after.holds ?? noHoldRules;
  const added = entries.map((entry) => {
    const found = exceptions.find(({ address, field }) => address === entry.address && field === entry.field);
    const context = { configuration: after, live, found: difference, now, chosen: () => true };
    const [unused] = found ? exceptionHolds([found], context).diagnostics : [];
    if (unused)
      throw new AttuneError(unused.message, {
        code: 'not-acceptable',
        hint: 'run `attune apply` to revert it, or accept it without --until; no file was written',
      });
    return { ...entry, ...(found && { location: found.location }) };
  });
  return { exceptions: added, texts: edited, configuration: after };
}

function differs({ address, fields }: Change, field: string, chosen: AcceptInput['chosen']): boolean {
  return fields.some(({ path }) => isUnder(path, field) && chosen(address, path));
}

function noDifference(field: string): AttuneError {
  return new AttuneError(`no exception is written: the live value of ${field} is as declared`, {
    code: 'not-acceptable',
    hint: 'run `attune drift` to list the differences',
  });
}

function refuseOverlap(address: string, path: string, exceptions: readonly Exception[]): void {
  const other = exceptions.find((one) => isUnder(path, one.field) && matchesAddress(one.address, address));
  if (other === undefined) return;
  throw new DiagnosticsError([
    problem(
      'duplicate-name',
      `${path} of ${address} already has an exception until ${other.until.written} (${other.reason})`,
      { at: { address, location: other.location } },
    ),
  ]);
}

function withExceptions(text: string, file: string, entries: readonly Value[]): string {
  const data: unknown = parse(text, { version: '1.2', schema: 'core', merge: true, maxAliasCount: -1 });
  const { exceptions } = (isRecord(data) ? data : {}) as Readonly<Record<string, unknown>>;
  const value = [...(Array.isArray(exceptions) ? (exceptions as Value[]) : []), ...entries];
  return editYaml(text, { file, path: ['exceptions'], value });
}

/** @throws {AttuneError} if the date is over, or later than `limits.exception-days` allow. */
function checkUntil(
  { written, time }: Moment,
  { now, days }: { readonly now: number; readonly days: number },
): void {
  if (time <= now)
    throw new AttuneError(`the exception would end before it begins: ${written} is in the past`, {
      code: 'bad-value',
    });
  if (time - now > days * day)
    throw new AttuneError(
      `an exception until ${written} is longer than the ${days} days of limits.exception-days`,
      {
        code: 'bad-value',
        hint: `give ${printTime(now + (days - 1) * day).slice(0, 10)} or an earlier date, or raise limits.exception-days`,
      },
    );
}
