import { policyClasses } from './compile.ts';
import type { PolicyType } from './subjects.ts';

/** A value of a type, without the fields that are undefined: they are missing. */
export function typedValue(type: PolicyType, fields: Readonly<Record<string, unknown>>): object {
  const value: Record<string, unknown> = new policyClasses[type]() as Record<string, unknown>;
  for (const [name, field] of Object.entries(fields)) if (field !== undefined) value[name] = field;
  return value;
}

/** Plain data as CEL has it: whole numbers are `int`, mappings are maps. */
export function policyValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(policyValue);
  return new Map(Object.entries(value).map(([key, inner]) => [key, policyValue(inner)]));
}
