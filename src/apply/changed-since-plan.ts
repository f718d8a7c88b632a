import { sameAttribute } from '../diff/fields.ts';
import { modeFlag } from '../model/attributes.ts';
import { changesOf } from '../model/change.ts';
import { AttuneError } from '../model/diagnostic.ts';
import type { PlannedChange } from '../model/plan.ts';
import { counted } from '../model/text.ts';
import { sameValue, type Value } from '../model/value.ts';
import type { Facts } from '../plan/kinds.ts';
import { lockWord } from '../relations/relations.ts';

/** @throws {AttuneError} if live values that the plan was computed from have changed; nothing was overwritten. */
export function requireUnchanged(
  { address }: Pick<PlannedChange, 'address'>,
  changes: readonly string[],
): void {
  if (changes.length === 0) return;
  const how = changes.join('; ');
  throw new AttuneError(`the plan is stale: ${address} changed after the plan was made (${how})`, {
    code: 'moved-on',
    hint: 'plan again',
  });
}

export function handedDownBy(changes: readonly PlannedChange[]): ReadonlyMap<string, ReadonlySet<string>> {
  const changed = changesOf(changes, 'project').flatMap(({ id, fields }) => {
    const paths = fields.flatMap(({ path }) => handedDownFacts[path] ?? []);
    return id === undefined || paths.length === 0 ? [] : [[id, new Set(paths)] as const];
  });
  return new Map(changed);
}

const execution = ['execution-mode', 'agent-pool-id', 'operations'];
const handedDownFacts: Readonly<Record<string, readonly string[]>> = {
  'tag-bindings': ['inherited-tag-bindings'],
  'default-execution-mode': execution,
  'default-agent-pool': execution,
};

export function withoutHandedDown(
  facts: Facts,
  now: Facts,
  handedDown: ReturnType<typeof handedDownBy>,
): Facts {
  const changed = handedDown.get(String(now.project));
  if (changed === undefined) return facts;
  const isOwn = (path: string) => execution.includes(path) && now[modeFlag] !== false;
  return Object.fromEntries(Object.entries(facts).filter(([path]) => !changed.has(path) || isOwn(path)));
}

const resourceCount = 'resource-count';

export function changesSince(facts: Facts, now: Facts): string[] {
  return Object.entries(facts).flatMap(([path, before]) => {
    if (path === 'exists' || isSame(path, before, now[path])) return [];
    if (path === resourceCount && typeof now[path] === 'number')
      return [
        `it managed ${counted(Number(before), 'resource')} and manages ${counted(now[path], 'resource')} now`,
      ];
    if (path === 'lock') return [`it was ${lockWord(before)} and is not now`];
    return [`${path} was ${shownFact(before)} and is ${shownFact(now[path])}`];
  });
}

function isSame(path: string, before: Value, now: Value | undefined): boolean {
  if (path === 'tags') return sameValue(before, now ?? []);
  // A workspace that manages fewer resources is as safe to delete.
  if (path === resourceCount) return typeof now === 'number' && now <= Number(before);
  return sameAttribute(path, before, now);
}

function shownFact(value: Value | undefined): string {
  return value === undefined || value === null ? 'not set' : JSON.stringify(value);
}
