import { type Moment, momentOf } from '../model/time.ts';
import type { Values } from '../model/value.ts';
import { locateValue } from './files/source.ts';
import type { Loading } from './problems.ts';
import { quote } from './text.ts';

/** The moment under a key. A date that does not exist is reported. */
export function readMoment(holder: object, key: string, { problems, origins }: Loading): Moment | undefined {
  const written = (holder as Values)[key];
  if (typeof written !== 'string') return undefined;
  const moment = momentOf(written);
  if (moment === undefined)
    problems.add({
      code: 'bad-timestamp',
      message: `invalid ${quote(key)} ${quote(written)}: this time does not exist`,
      hint: 'write a date or time that exists, such as 2026-12-31 or 2026-12-31T18:00:00Z',
      location: locateValue(origins, holder, key),
    });
  return moment;
}
