import type { SourceLocation } from '../model/location.ts';
import type { Field, TagRule } from './fields.ts';
import { locateValue } from './origins.ts';
import { quote } from './quote.ts';
import type { LayerContext } from './read-layer.ts';

/** A value of a layer, with the mapping that holds it. */
interface JudgedField {
  readonly path: string;
  readonly field: Field;
  readonly container: object;
  readonly key: string;
}

/** The values that {@link judgeField} has something to say about. */
export const judgedPaths: ReadonlySet<string> = new Set([
  'operations',
  'global-remote-state',
  'auto-destroy-at',
  'tags',
]);

/** What can be said about a single value wherever it stands: once per line, however many workspaces take it in. */
export function judgeField({ path, field, container, key }: JudgedField, context: LayerContext): void {
  const { problems, origins } = context.loading;
  const { address } = context;
  switch (path) {
    case 'operations':
      problems.add({
        severity: 'warning',
        code: 'deprecated-operations',
        message: '"operations" is deprecated',
        hint: 'write execution-mode: remote for true, local for false',
        address,
        location: field.location,
      });
      return;
    case 'global-remote-state':
      if (field.value !== true) return;
      problems.add({
        severity: 'warning',
        code: 'global-remote-state',
        message: 'every workspace of the organization may read this state, and the secrets in it',
        hint: 'name those that need it under remote-state-consumers',
        address,
        location: field.location,
      });
      return;
    case 'auto-destroy-at':
      if (typeof field.value !== 'string' || isRealTime(field.value)) return;
      problems.add({
        code: 'bad-timestamp',
        message: `"auto-destroy-at" cannot be ${quote(field.value)}: there is no such time`,
        hint: 'write a day and a time that exist, with the time zone: 2026-01-31T18:00:00Z',
        address,
        location: locateValue(origins, container, key),
      });
      return;
    case 'tags':
      judgeTags(field, context);
      return;
  }
}

/** JavaScript takes the 30th of February for the 2nd of March. */
function isRealTime(text: string): boolean {
  const time = new Date(text.toUpperCase());
  if (Number.isNaN(time.getTime())) return false;
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

function judgeTags({ raw, value }: Field, { loading, address }: LayerContext): void {
  if (typeof raw !== 'object' || raw === null) return;
  const { problems, origins } = loading;
  const lists = Array.isArray(raw) ? [raw] : Object.values(raw).filter(Array.isArray);
  const each = (visit: (tag: string, location: () => SourceLocation) => void) => {
    for (const list of lists)
      for (const [index, tag] of (list as string[]).entries())
        visit(tag, () => locateValue(origins, list, index));
  };
  each((tag, location) => {
    if (tag === tag.toLowerCase()) return;
    problems.add({
      severity: 'warning',
      code: 'upper-case-tag',
      message: `the tag ${quote(tag)} has upper-case letters, and live services store tags in lower case`,
      hint: `write ${quote(tag.toLowerCase())}`,
      address,
      location: location(),
    });
  });
  const rule = value as TagRule;
  if ('exactly' in rule) return;
  const removed = new Set(rule.remove);
  each((tag, location) => {
    if (!removed.delete(tag) || !rule.add.includes(tag)) return;
    problems.add({
      code: 'added-and-removed',
      message: `the tag ${quote(tag)} is both added and removed`,
      hint: 'keep one of the two',
      address,
      location: location(),
    });
  });
}
