import { accepting, format, list, reference, text, titled, word } from '../../model/json-schema.ts';
import type { Selector } from '../../model/selector.ts';
import { momentPattern, type Value } from '../../model/value.ts';

const moment = format(
  momentPattern,
  'write a date (2026-12-31), or a time with its zone (2026-12-31T18:00:00Z or 2026-12-31T18:00:00+01:00)',
);

export const endingKeys = {
  until: text('The last day, which ends in UTC; or a time with its zone.', {
    ...moment,
    examples: ['2026-12-31', '2026-12-31T18:00:00Z'],
  }),
  reason: word('Why; shown wherever it has an effect.', 'Q4 migration'),
};

const known = { address: 'workspace.web-prod', field: 'auto-apply', until: '2026-12-15', reason: 'INC-7' };
const weekend = { cron: '0 18 * * 5', for: '60h', timezone: 'Europe/Berlin', reason: 'weekend' };
const yearEnd = { from: '2026-12-20T00:00:00Z', to: '2027-01-04T06:00:00Z', reason: 'year end' };

const exception = titled(
  'exception',
  'A known difference of one field until a date. It is listed, and not written.',
  {
    address: word(
      'The address that differs; * is any run of characters, ? is one character.',
      'workspace.web-prod',
    ),
    field: word('The field that differs, as plans show it.', 'auto-apply'),
    value: accepting<Value>({
      description: 'The live value that is known. Any other one is drift. Without it every value is known.',
    }),
    ...endingKeys,
  },
  { required: ['address', 'field', 'until', 'reason'] },
);

const time = (description: string, example: string) => text(description, { ...moment, examples: [example] });

const freezeWindow = titled(
  'freeze window',
  'A time in which apply, undo and watch do not write: from and to, or cron and for. Without select nothing is written.',
  {
    from: time('When it starts: a day, in UTC, or a time with its zone.', '2026-12-20T00:00:00Z'),
    to: time('When it ends: the last day, in UTC, or a time with its zone.', '2027-01-04T06:00:00Z'),
    cron: text('When each period starts: minute, hour, day of month, month, day of week.', {
      ...format(/^\S+(\s+\S+){4}$/, 'write minute, hour, day of month, month and day of week: "0 18 * * 5"'),
      examples: ['0 18 * * 5'],
    }),
    for: text('How long each period lasts: a number and m, h, d or w.', {
      ...format(
        /^0*[1-9]\d{0,5}[mhdw]$/,
        'write a number, not zero, and m (minutes), h (hours), d (days) or w (weeks): 60h',
      ),
      examples: ['60h'],
    }),
    timezone: word('The time zone of cron. Default: UTC.', 'Europe/Berlin'),
    reason: word('Why; shown wherever something is frozen.', 'year end'),
    select: reference<Selector>('selector'),
  },
  {
    required: ['reason'],
    dependentRequired: { from: ['to'], to: ['from'], cron: ['for'], for: ['cron'], timezone: ['cron'] },
  },
);

export const holdSections = {
  exceptions: list(
    'Known differences of single fields, each until a date. They are listed, and not written.',
    reference('exception', exception),
    { examples: [[known]] },
  ),
  freeze: list(
    'Times in which apply, undo and watch do not write.',
    reference('freeze-window', freezeWindow),
    { examples: [[yearEnd, weekend]] },
  ),
};

export const holdParts = { exception, 'freeze-window': freezeWindow };
