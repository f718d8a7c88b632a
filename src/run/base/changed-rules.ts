import { basename } from 'node:path';
import { limitKeys } from '../../desired/settings.ts';
import { defaultExceptionDays } from '../../hold/at-time.ts';
import type { Configuration, Prune } from '../../model/configuration.ts';
import { type Diagnostic, type SourceLocation, severities, warning } from '../../model/diagnostic.ts';
import { canonicalJson, type Values } from '../../model/value.ts';

interface Rule {
  readonly name: string;
  readonly content: string;
  /** What makes the rule weaker: a limit, the index of a severity in {@link severities}, or how much is pruned. */
  readonly laxness: number;
  readonly at?: SourceLocation | undefined;
}

/**
 * The rules that the base of a root file has, and that the file removes, weakens or edits. The ends of access depend on the live
 * state, too: src/check/ends-of-access.ts.
 *
 * @param root the name of the root file, in a run of several
 * @param mates the root files of the organization, among which a protected workspace can move
 */
export function changedRules(
  now: Configuration,
  base: Configuration,
  { root, mates }: { readonly root: string | undefined; readonly mates: readonly Configuration[] },
): Diagnostic[] {
  const kept = [...rulesOf(now), ...mates.flatMap(protectedOf), ...thresholdsOf(now)];
  return [...rulesOf(base), ...thresholdsOf(base)].flatMap((rule) => {
    if (isKept(rule, kept)) return [];
    const edited = kept.find(({ name }) => name === rule.name);
    const isNamed = root === undefined || edited?.at?.file === basename(now.file);
    const verb = edited?.content === rule.content ? 'weakens' : edited ? 'edits' : 'removes';
    const what = `${verb} ${rule.name}${isNamed ? '' : ` in ${root}`}`;
    return warning('rule-changed', `this change ${what}`, { at: edited?.at });
  });
}

function isKept({ name, content, laxness }: Rule, among: readonly Rule[]): boolean {
  return among.some((other) => other.name === name && other.content === content && other.laxness <= laxness);
}

const pruneModes: readonly Prune['workspaces'][] = ['keep', 'safe', 'force'];

/** What every root file has, because it has a default. */
function thresholdsOf({ limits, prune }: Configuration): readonly Rule[] {
  const keys = Object.keys(limitKeys) as (keyof typeof limitKeys)[];
  return [
    ...keys.map((key) => ({
      name: `limits.${limitKeys[key]}`,
      content: '',
      laxness: limits[key] ?? (key === 'exceptionDays' ? defaultExceptionDays : Number.POSITIVE_INFINITY),
      at: limits.locations?.[key],
    })),
    { name: 'prune.workspaces', content: '', laxness: pruneModes.indexOf(prune.workspaces) },
    { name: 'prune.team-access', content: '', laxness: Number(prune.teamAccess) },
  ];
}

function rulesOf(configuration: Configuration): readonly Rule[] {
  const { settings: { freeze = [] } = {}, policies = [], scope, scopeAt, guards, holds } = configuration;
  const scopeText = canonicalJson({ ...scope, taggedAt: null, enforce: null });
  return [
    ...(scope ? [{ name: 'scope', content: scopeText, laxness: Number(!scope.enforce), at: scopeAt }] : []),
    ...(freeze as readonly Values[]).map((window, index) => ({
      name: `freeze window "${window.reason}"`,
      content: canonicalJson(window),
      laxness: 0,
      at: holds?.freeze[index]?.location,
    })),
    ...guards.protect.map(({ selector, written, location }) => ({
      name: `guards.protect ${written}`,
      content: canonicalJson({ ...selector }),
      laxness: 0,
      at: location,
    })),
    ...(guards.keepAdmin ?? []).map(({ teams, location }) => ({
      name: 'guards.keep-admin',
      content: [...teams.keys()].sort().join(),
      laxness: 0,
      at: location,
    })),
    ...(guards.keepSelf ? [{ name: 'guards.keep-self', content: '', laxness: 0, at: guards.keepSelf }] : []),
    ...policies.map(({ id, on, when, require, severity, location }) => ({
      name: `policy ${id}`,
      content: canonicalJson([on, when?.text ?? '', require.text]),
      laxness: severities.indexOf(severity),
      at: location,
    })),
    ...protectedOf(configuration),
  ];
}

function protectedOf({ desired }: Configuration): readonly Rule[] {
  return [...desired.resources.values()].flatMap(({ address, declared, location }): Rule | [] =>
    declared?.protect ? { name: `protect of ${address}`, content: '', laxness: 0, at: location } : [],
  );
}
