import { isRecord, type Value } from '../../model/value.ts';
import { type ErrorObject, invalid } from '../http/rejection.ts';

/** A plain attribute that is stored as it is written. */
export interface SettingSpec {
  readonly default: Value;
  readonly type: 'string' | 'boolean' | 'number' | 'strings';
  readonly nullable?: true;
  readonly values?: readonly string[];
  /** Answers leave it out: it is a secret. */
  readonly writeOnly?: true;
}
export type Settings = Readonly<Record<string, Value>>;

/** The settings that a request names, by their table. An attribute that the table does not have is left aside. */
export function readSettings(
  table: Readonly<Record<string, SettingSpec>>,
  attributes: Readonly<Record<string, unknown>>,
  errors: ErrorObject[],
): Settings {
  const settings: Record<string, Value> = {};
  for (const [name, spec] of Object.entries(table)) {
    const value = attributes[name] ?? attributes[name.replaceAll('-', '_')];
    if (value === undefined) continue;
    if (value === null) {
      if (spec.nullable) settings[name] = null;
      continue;
    }
    const problem = problemOf(spec, value);
    if (problem) errors.push(invalid(`/data/attributes/${name}`, problem));
    else if (!spec.writeOnly) settings[name] = value as Value;
  }
  return settings;
}

/** Every setting that answers have, with its default where it was never written. */
export function shownSettings(
  table: Readonly<Record<string, SettingSpec>>,
  stored: Settings | undefined,
): Settings {
  const shown = Object.entries(table).filter(([, spec]) => !spec.writeOnly);
  return Object.fromEntries(shown.map(([name, spec]) => [name, stored?.[name] ?? spec.default]));
}

function problemOf({ type, values }: SettingSpec, value: unknown): string | undefined {
  if (type === 'strings') return Array.isArray(value) ? undefined : 'must be a list of strings';
  if (isRecord(value) || typeof value !== type) return `must be a ${type}`;
  return values && !values.includes(String(value)) ? `must be one of ${values.join(', ')}` : undefined;
}
