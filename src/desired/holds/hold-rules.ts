import type { Cron } from 'croner';
import type { Exception, FreezeWindow, HoldRules } from '../../model/rules.ts';
import { hintAt, quote } from '../../model/text.ts';
import { attempt, day, remembered, type Values } from '../../model/value.ts';
import { knownFields } from '../explain.ts';
import { reporter } from '../problems.ts';
import { type ReadContext, readSelector } from '../references.ts';
import { readMoment } from '../rules/field-rules.ts';
import type { RawFile } from '../schema/language.ts';

type RawException = NonNullable<RawFile['exceptions']>[number];
type RawFreezeWindow = NonNullable<RawFile['freeze']>[number];

const longestWindow = 366 * day;

export async function readHoldRules(
  { exceptions = [], freeze = [] }: Pick<RawFile, 'exceptions' | 'freeze'>,
  context: ReadContext,
): Promise<HoldRules> {
  // The library is loaded for the few files with cron expressions.
  const hasCron = freeze.some(({ cron }) => cron !== undefined);
  const { Cron: CronOf } = hasCron ? await import('croner') : {};
  return {
    exceptions: exceptions.flatMap((raw) => readException(raw, context) ?? []),
    freeze: freeze.flatMap((raw) => readWindow(raw, { ...context, CronOf }) ?? []),
  };
}

function readException(raw: RawException, context: ReadContext): Exception | undefined {
  const { address, field, reason, value } = raw;
  const until = readMoment(raw, 'until', reporter(context.loading));
  if (address === undefined || field === undefined || !isHeld(raw, address, field, context)) return undefined;
  if (until === undefined || reason === undefined) return undefined;
  const known = Object.hasOwn(raw, 'value') && { value: value ?? null };
  return { address, field, ...known, until, reason, location: context.loading.origins.atStart(raw) };
}

function isHeld(raw: RawException, address: string, field: string, { loading }: ReadContext): boolean {
  const { error, atValue, isLiteral } = reporter(loading);
  if (isLiteral('the address', address, atValue(raw, 'address'))) return false;
  if (knownFields.includes(field)) return true;
  const hint = hintAt(field, knownFields, 'write the field as plans show it: auto-apply, vcs-repo.branch');
  error('bad-value', `"field" cannot be ${quote(field)}: no resource has it`, atValue(raw, 'field'), hint);
  return false;
}

interface WindowContext extends ReadContext {
  readonly CronOf: typeof Cron | undefined;
}

function readWindow(raw: RawFreezeWindow, context: WindowContext): FreezeWindow | undefined {
  const { loading } = context;
  const { error, atKey } = reporter(loading);
  const { reason, select, ...times } = raw;
  const isRepeated = ['cron', 'for', 'timezone'].some((key) => Object.hasOwn(raw, key));
  const mixed = isRepeated ? ['from', 'to'].find((key) => Object.hasOwn(raw, key)) : undefined;
  const location = loading.origins.atStart(raw);
  const message = `${quote(mixed)} cannot be combined with "cron", "for" and "timezone"`;
  if (mixed !== undefined) error('bad-value', message, atKey(raw, mixed));
  else if (!isRepeated && !Object.hasOwn(raw, 'from') && !Object.hasOwn(raw, 'to'))
    error('missing-key', 'a freeze window requires "from" and "to", or "cron" and "for"', location);
  const periodAt = mixed !== undefined ? undefined : isRepeated ? repeated(raw, context) : once(raw, context);
  const selector = select && readSelector(select, context);
  if (periodAt === undefined || reason === undefined) return undefined;
  return { reason, select: selector, periodAt, written: times as Values, location };
}

type PeriodAt = FreezeWindow['periodAt'];

function once(raw: RawFreezeWindow, { loading }: WindowContext): PeriodAt | undefined {
  const report = reporter(loading);
  const from = readMoment(raw, 'from', report);
  const to = readMoment(raw, 'to', report);
  if (from === undefined || to === undefined) return undefined;
  // A day starts a day before it ends.
  const start = /t/i.test(from.written) ? from.time : from.time - day;
  const end = to.time;
  if (end > start && end - start <= longestWindow) return (time) => (time < end ? { start, end } : undefined);
  const wrong = end <= start ? '"to" is not after "from"' : 'the freeze window is longer than a year';
  report.error('bad-value', wrong, report.atValue(raw, 'to'));
  return undefined;
}

function repeated(raw: RawFreezeWindow, { loading, CronOf }: WindowContext): PeriodAt | undefined {
  const { error, atValue } = reporter(loading);
  const { cron, for: written, timezone = 'UTC' } = raw;
  const isZone = attempt(() => new Intl.DateTimeFormat('en', { timeZone: timezone })) !== undefined;
  const usual = 'write a name of the IANA time zone database, such as Europe/Berlin';
  const hintOf = () => hintAt(timezone, Intl.supportedValuesOf('timeZone'), usual);
  if (!isZone) error('bad-value', `unknown time zone ${quote(timezone)}`, atValue(raw, 'timezone'), hintOf);
  if (cron === undefined || written === undefined || !isZone || !CronOf) return undefined;
  const length = Number(written.slice(0, -1)) * (units[written.slice(-1)] ?? 0);
  if (length > longestWindow) {
    error('bad-value', 'the freeze window is longer than a year', atValue(raw, 'for'));
    return undefined;
  }
  const parsed = parse(CronOf, cron, timezone);
  const periods = 'problem' in parsed ? parsed : readCron(parsed, length);
  if (typeof periods === 'function') return periods;
  const { problem, hint = 'write minute, hour, day of month, month and day of week: "0 18 * * 5"' } = periods;
  error('bad-value', `"cron" cannot be ${quote(cron)}: ${problem}`, atValue(raw, 'cron'), hint);
  return undefined;
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: day, w: 7 * day };

interface Unreadable {
  readonly problem: string;
  readonly hint?: string;
}

/** The library takes a tenth of a millisecond to find a start. */
const mostMerged = 400;
/** Any time serves to find mistakes in an expression; this one is before all others that are asked for. */
const anyTime = Date.UTC(2026, 0, 1);
const second = 1000;

/**
 * Reads a cron expression. A start in an hour that daylight saving time skips is the end of that hour. Periods without a time
 * between them are one.
 */
function readCron(cron: Cron, length: number): PeriodAt | Unreadable {
  const next = (time: number) => cron.nextRun(new Date(time))?.getTime();
  const latest = (time: number) => cron.previousRuns(1, new Date(time))[0]?.getTime();
  const endOf = (first: number) => {
    let last = first;
    for (let merged = 0; merged < mostMerged; merged++) {
      const start = latest(last + length + second);
      if (start === undefined || start <= last) return { end: last + length, isCut: false };
      last = start;
    }
    return { end: last + length, isCut: true };
  };
  const first = next(anyTime);
  if (first === undefined) return { problem: 'it never starts' };
  if (endOf(first).isCut)
    return {
      problem: `more than ${mostMerged} of its periods leave no time between them`,
      hint: 'write fewer starts, and a longer "for"',
    };
  return remembered((time: number) => {
    // The end is not part of a period, so one that started this long ago is over.
    const start = next(time - length);
    return start === undefined ? undefined : { start, end: endOf(start).end };
  });
}

function parse(CronOf: typeof Cron, expression: string, timezone: string): Cron | Unreadable {
  try {
    return new CronOf(expression, { timezone, paused: true, mode: '5-part' });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const problem = message.replace(/^CronPattern: /, '').replace(/^./, (letter) => letter.toLowerCase());
    return { problem };
  }
}
