import { diff } from '../diff/diff.ts';
import { defaultExceptionDays } from '../hold/at-time.ts';
import { shownLive } from '../hold/exceptions.ts';
import { isUnder } from '../model/attributes.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, DiagnosticsError, hasErrors, usageError } from '../model/diagnostic.ts';
import { day, type Moment, momentOf, momentPattern, printTime, type Value } from '../model/value.ts';
import type { AcceptedFiles, AcceptInput } from './accept.ts';
import { loadTexts } from './checked-texts.ts';
import { editYaml } from './edit-yaml.ts';

interface ExceptionRequest {
  readonly fields: readonly string[];
  readonly until: Moment;
  readonly reason: string;
}

interface ExceptionOptions {
  readonly addresses: readonly string[];
  readonly fields: readonly string[] | undefined;
  readonly until: string | undefined;
  readonly reason: string | undefined;
}

export function exceptionRequest(
  { addresses, fields, until, reason }: ExceptionOptions,
  { limits }: Pick<Configuration, 'limits'>,
  now: number,
): ExceptionRequest | undefined {
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
  return { fields, until: moment, reason };
}

export async function addExceptions(
  { configuration, live, texts, root, chosen }: Omit<AcceptInput, 'reader' | 'schema' | 'namesOf'>,
  { fields, until, reason }: ExceptionRequest,
): Promise<AcceptedFiles> {
  const { changes } = diff(configuration, live, { purpose: 'drift' });
  const differing = changes.flatMap(({ address, action, fields }) =>
    action === 'update'
      ? fields.filter(({ path }) => chosen(address, path)).map((field) => ({ address, ...field }))
      : [],
  );
  const missing = fields.find((name) => !differing.some(({ path }) => isUnder(path, name)));
  if (missing !== undefined)
    throw new AttuneError(`no exception is written: the live value of ${missing} is as declared`, {
      code: 'not-acceptable',
      hint: 'run `attune drift` to list the differences',
    });
  const entries = differing.map(({ address, path, before }) => {
    const value = shownLive(path, before, { configuration, live });
    return { address, field: path, value, until: until.written, reason };
  });
  const { exceptions: former } = configuration.settings ?? {};
  const value = [...(Array.isArray(former) ? (former as Value[]) : []), ...entries];
  const text = texts.get(root) ?? '';
  const edited = new Map(texts).set(root, editYaml(text, { file: root, path: ['exceptions'], value }));
  const { configurations, diagnostics } = await loadTexts(edited, root);
  const [loaded] = configurations;
  if (loaded === undefined) throw new DiagnosticsError(diagnostics.filter((one) => hasErrors([one])));
  const exceptions = entries.map((entry) => {
    const added = loaded.holds?.exceptions.find(
      ({ address, field }) => address === entry.address && field === entry.field,
    );
    return { ...entry, location: added?.location };
  });
  return {
    ...{ exceptions, texts: edited },
    fields: [],
    declared: [],
    diagnostics: [],
  };
}
