import { projectAttributes } from '../../model/attribute-table.ts';
import { isRecord, type Value, type Values } from '../../model/value.ts';
import { type ErrorObject, invalidAttribute } from '../http/responses.ts';

interface Setting {
  readonly default: Value;
  readonly type: 'string' | 'boolean' | 'number' | 'strings';
  readonly nullable?: boolean;
  readonly values?: readonly string[];
  readonly pattern?: RegExp;
  readonly writeOnly?: true;
}

export type SettingsTable = Readonly<Record<string, Setting>>;

const optionalText = { default: null, type: 'string', nullable: true } as const;

export const setting = {
  text: optionalText,
  secret: { ...optionalText, writeOnly: true },
  count: { default: null, type: 'number', nullable: true },
  flag: (byDefault: boolean) => ({ default: byDefault, type: 'boolean' }) as const,
  /** The first value is the default. */
  choice: (values: readonly [string, ...string[]]) =>
    ({ default: values[0], type: 'string', values }) as const,
} as const;

export const projectSettings: SettingsTable = Object.fromEntries(
  Object.entries(projectAttributes).filter(([path, { coupling }]) => path !== 'name' && !coupling),
);

/** The settings in a request, by their table. Other attributes are ignored. The live service also accepts underscores. */
export function writtenSettings(
  table: SettingsTable,
  attributes: Readonly<Record<string, unknown>>,
  errors: ErrorObject[],
): Values {
  const settings: Record<string, Value> = {};
  for (const [name, spec] of Object.entries(table)) {
    const { [name]: value = attributes[name.replaceAll('-', '_')] } = attributes;
    if (value === undefined || (value === null && !spec.nullable)) continue;
    const problem = value === null ? undefined : problemOf(name, spec, value);
    if (problem) errors.push(invalidAttribute(name, problem));
    else if (!spec.writeOnly) settings[name] = value as Value;
  }
  return settings;
}

function problemOf(name: string, { type, values, pattern }: Setting, value: unknown): string | undefined {
  if (isRecord(value) || typeof value !== type) return `must be a ${type}`;
  if (values && !values.includes(String(value))) return `must be one of ${values.join(', ')}`;
  if (pattern?.test(String(value)) !== false) return undefined;
  const words = name.replaceAll('-', ' ').replace(/^./, (first) => first.toUpperCase());
  return `${words} has an incorrect format`;
}

export function shownSettings(table: SettingsTable, stored: Values | undefined): Values {
  const shown = Object.entries(table).filter(([, spec]) => !spec.writeOnly);
  return Object.fromEntries(shown.map(([name, spec]) => [name, stored?.[name] ?? spec.default]));
}
