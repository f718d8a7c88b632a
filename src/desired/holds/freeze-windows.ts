import type { FreezeWindow, Period } from '../../model/rules.ts';
import { quote, suggestion } from '../../model/text.ts';
import type { Values } from '../../model/value.ts';
import { day, lengthOf } from '../../model/value.ts';
import { locateKey, locateStart, locateValue } from '../files/source.ts';
import type { Loading } from '../problems.ts';
import { type ReadContext, readSelector } from '../references.ts';
import { readMoment } from '../rules/field-rules.ts';
import type { RawFreezeWindow } from '../schema/language.ts';
import type { ReadCron } from './cron.ts';

const longestWindow = 366 * day;

/** What reading a freeze window depends on. */
export interface WindowContext extends ReadContext {
  /** Present if a file has cron expressions. */
  readonly readCron?: ReadCron | undefined;
}

/** A freeze window; undefined if it has errors, which are reported. */
export function readWindow(raw: RawFreezeWindow, context: WindowContext): FreezeWindow | undefined {
  const { loading } = context;
  const { reason, select, ...times } = raw;
  const isRepeated = ['cron', 'for', 'timezone'].some((key) => Object.hasOwn(raw, key));
  const periodAt = isRepeated ? repeated(raw, context) : once(raw, loading);
  const selector = select && readSelector(select, context);
  if (periodAt === undefined || reason === undefined) return undefined;
  return {
    reason,
    ...(selector && { select: selector }),
    periodAt,
    written: times as Values,
    location: locateStart(loading.origins, raw),
  };
}

type PeriodAt = FreezeWindow['periodAt'];

function once(raw: RawFreezeWindow, loading: Loading): PeriodAt | undefined {
  const { problems, origins } = loading;
  const missing = (['from', 'to'] as const).filter((key) => !Object.hasOwn(raw, key));
  if (missing.length > 0) {
    problems.error(
      'missing-key',
      missing.length === 2
        ? 'a freeze window requires "from" and "to", or "cron" and "for"'
        : `a freeze window requires the key ${quote(missing[0])}`,
      { at: locateStart(origins, raw) },
    );
    return undefined;
  }
  const from = readMoment(raw, 'from', loading);
  const to = readMoment(raw, 'to', loading);
  if (from === undefined || to === undefined) return undefined;
  // A day starts a day before it ends.
  const start = /t/i.test(from.written) ? from.time : from.time - day;
  const wrong =
    to.time <= start
      ? '"to" is not after "from"'
      : to.time - start > longestWindow
        ? 'the freeze window is longer than a year'
        : undefined;
  if (wrong !== undefined) {
    problems.error('bad-value', wrong, { at: locateValue(origins, raw, 'to') });
    return undefined;
  }
  const period: Period = { start, end: to.time };
  return (time) => (time < period.end ? period : undefined);
}

function repeated(raw: RawFreezeWindow, { loading, readCron }: WindowContext): PeriodAt | undefined {
  const { problems, origins } = loading;
  const { cron, timezone = 'UTC' } = raw;
  const mixed = (['from', 'to'] as const).find((key) => Object.hasOwn(raw, key));
  if (mixed !== undefined) {
    problems.error('bad-value', `${quote(mixed)} cannot be combined with "cron", "for" and "timezone"`, {
      at: locateKey(origins, raw, mixed),
    });
    return undefined;
  }
  for (const key of ['cron', 'for'] as const)
    if (!Object.hasOwn(raw, key))
      problems.error('missing-key', `a freeze window requires the key ${quote(key)}`, {
        at: locateStart(origins, raw),
      });
  const isZone = checkZone(timezone, raw, loading);
  if (cron === undefined || raw.for === undefined || !isZone || readCron === undefined) return undefined;
  const length = lengthOf(raw.for);
  if (length > longestWindow) {
    problems.error('bad-value', 'the freeze window is longer than a year', {
      at: locateValue(origins, raw, 'for'),
    });
    return undefined;
  }
  const periods = readCron(cron, { length, timezone });
  if (typeof periods === 'function') return periods;
  problems.error('bad-value', `"cron" cannot be ${quote(cron)}: ${periods.problem}`, {
    at: locateValue(origins, raw, 'cron'),
    hint: periods.hint ?? 'write minute, hour, day of month, month and day of week: "0 18 * * 5"',
  });
  return undefined;
}

function checkZone(timezone: string, raw: RawFreezeWindow, { problems, origins }: Loading): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return true;
  } catch {
    problems.error('bad-value', `unknown time zone ${quote(timezone)}`, {
      at: locateValue(origins, raw, 'timezone'),
      hint: () =>
        suggestion(timezone, Intl.supportedValuesOf('timeZone')) ??
        'write a name of the IANA time zone database, such as Europe/Berlin',
    });
    return false;
  }
}
