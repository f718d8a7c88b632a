/** A date, or a timestamp with a time zone. */
export const momentPattern = /^\d{4}-\d{2}-\d{2}([Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/;
/** A length of time: a number and minutes, hours, days or weeks. */
export const lengthPattern = /^0*[1-9]\d{0,5}[mhdw]$/;

/** A point in time as a file writes it. */
export interface Moment {
  readonly written: string;
  /** In milliseconds since 1970. */
  readonly time: number;
}

export const day = 86_400_000;
const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: day, w: 7 * day };

/** The moment that a text means. A date is its end in UTC. `undefined` if there is no such date or time. */
export function momentOf(written: string): Moment | undefined {
  if (!isRealTime(written)) return undefined;
  const time = new Date(written).getTime();
  return { written, time: /t/i.test(written) ? time : time + day };
}

/** JavaScript parses February 30 as March 2. */
export function isRealTime(text: string): boolean {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return false;
  const date = text.slice(0, 10);
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}

/** The milliseconds of a length of time. */
export function lengthOf(written: string): number {
  return Number(written.slice(0, -1)) * (units[written.slice(-1)] ?? 0);
}

/** As reports print a time: in UTC, to the second. */
export function printTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
