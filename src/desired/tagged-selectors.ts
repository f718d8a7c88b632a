import type { Configuration } from '../model/configuration.ts';
import type { Subject } from '../model/diagnostic.ts';
import { asListRule, namedEntries } from '../model/list-rule.ts';
import type { ConsumerRef, WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';

/** What selects workspaces by key/value tags, with its place. */
export function taggedSelectors(
  { scope, guards, holds }: Pick<Configuration, 'scope' | 'guards' | 'holds'>,
  workspaces: Iterable<WorkspaceResource>,
): (readonly [what: string, at: Subject])[] {
  const path = 'remote-state-consumers';
  const protections = guards.protect.filter(({ selector }) => selector.tagged);
  const windows = holds?.freeze.filter(({ select }) => select?.tagged) ?? [];
  return [
    ...(scope?.tagged ? [['the scope', { location: scope.taggedAt }] as const] : []),
    ...protections.map(({ location }) => ['an entry of guards.protect', { location }] as const),
    ...windows.map(({ location }) => ['a freeze window', { location }] as const),
    ...[...workspaces].flatMap(({ address, attributes, declared, location }) => {
      const rule = asListRule<ConsumerRef & Value>(attributes[path]);
      if (!rule || !namedEntries(rule).some(isTagged)) return [];
      const at = { address, location: declared?.locations?.[path] ?? location };
      return [[`${path} of ${address}`, at] as const];
    }),
  ];
}

export function isTagged(ref: ConsumerRef): boolean {
  return typeof ref !== 'string' && ref.tagged !== undefined;
}
