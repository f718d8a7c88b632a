import { basename } from 'node:path';
import { limitKeys } from '../../desired/settings.ts';
import { defaultExceptionDays } from '../../hold/at-time.ts';
import type { LiveSource } from '../../live/read-live.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import type { Base, Configuration, Prune } from '../../model/configuration.ts';
import {
  AttuneError,
  type Diagnostic,
  DiagnosticsError,
  type SourceLocation,
  severities,
  usageError,
  warning,
} from '../../model/diagnostic.ts';
import { canonicalJson, type Values } from '../../model/value.ts';
import { readsBindings } from '../../resolve/live-query-of.ts';
import { namesOrNone, withFoundNames } from '../../resolve/look-up-names.ts';
import { neededLookUps } from '../../resolve/needed-names.ts';
import type { PlanSelection } from '../../resolve/plan-request.ts';
import type { RunContext } from '../context.ts';
import { rootName } from '../report-entry.ts';
import { isOfOne, loadBases } from './load-base.ts';

export async function withBases(
  configurations: readonly Configuration[],
  context: RunContext,
): Promise<readonly Configuration[]> {
  const { base: ref, onlyChanged } = context.options;
  if (ref === undefined) {
    if (!onlyChanged) return configurations;
    throw usageError(
      '--only-changed requires --base',
      'name the revision or the folder to compare with, such as origin/main',
    );
  }
  const { commit, found, addresses } = await loadBases(configurations, ref, context);
  const base: Base = { ref, commit, addresses, onlyChanged: onlyChanged || undefined };
  return configurations.map((configuration, index) => {
    const loaded = found[index] as (typeof found)[number];
    if (loaded instanceof AttuneError) {
      const diagnostics = [...configuration.diagnostics, unloadable(base, loaded)];
      return { ...configuration, base, diagnostics };
    }
    const name = configurations.length > 1 ? rootName(configuration, context) : undefined;
    const mates = configurations.filter((one) => isOfOne(one, configuration));
    const diagnostics = [
      ...configuration.diagnostics,
      ...changedRules(configuration, loaded, { root: name, mates }),
    ];
    return { ...configuration, base: { ...base, loaded, declared: loaded }, diagnostics };
  });
}

/**
 * The configuration with ids instead of names in its base. Kinds that the run has not read for the configuration itself are
 * listed if the base needs them. A name that stays is equal to the same name only.
 */
export async function resolveBase(
  configuration: Configuration,
  source: LiveSource,
  selection: PlanSelection,
): Promise<Configuration> {
  const { base, known, desired } = configuration;
  if (base?.loaded === undefined) return configuration;
  const bindings = readsBindings(configuration, selection);
  const own = neededLookUps(base.loaded, selection).map(({ kind }) => kind);
  const namesOf = (kind: AliasKind) => source.names(desired.organization, kind, { bindings });
  const found = await Promise.all(
    [...new Set([...(known?.keys() ?? []), ...own])].map(
      async (kind) => [kind, await namesOrNone(namesOf, kind)] as const,
    ),
  );
  try {
    return { ...configuration, base: { ...base, declared: withFoundNames(base.loaded, new Map(found), []) } };
  } catch (error) {
    // Without ids, equal declarations can differ.
    if (!(error instanceof DiagnosticsError)) throw error;
    const first = error.diagnostics.find(({ severity }) => severity === 'error') ?? error;
    const diagnostics = [...configuration.diagnostics, unloadable(base, first)];
    return { ...configuration, base: { ...base, declared: undefined }, diagnostics };
  }
}

/**
 * Why a base is not compared, as a warning. For `--only-changed` it is an error: without its base, everything would be
 * applied.
 */
function unloadable(
  { ref, onlyChanged }: Base,
  { message: why, hint = 'correct the base' }: Pick<Diagnostic, 'message' | 'hint'>,
): Diagnostic {
  const code = 'base-unreadable';
  const message = `cannot load the base ${ref}: ${why}`;
  if (onlyChanged) throw new AttuneError(message, { code, hint: `${hint}, or plan without --only-changed` });
  return warning(code, `${message}; the cause of each change is unknown`, { hint });
}

interface Rule {
  readonly name: string;
  /** What edits it. @default nothing */
  readonly content?: string;
  /** What makes the rule weaker: a limit, the index of a severity in {@link severities}, or how much is pruned. @default 0 */
  readonly laxness?: number;
  readonly at?: SourceLocation | undefined;
}

/**
 * The rules that the base of a root file has, and that the file removes, weakens or edits. The ends of access depend on the live
 * state, too: src/check/check-plan.ts.
 *
 * @param root the name of the root file, in a run of several
 * @param mates the root files of the organization, among which a protected workspace can move
 */
function changedRules(
  now: Configuration,
  base: Configuration,
  { root, mates }: { readonly root: string | undefined; readonly mates: readonly Configuration[] },
): Diagnostic[] {
  const kept = [...rulesOf(now), ...mates.flatMap(protectedOf), ...thresholdsOf(now)];
  return [...rulesOf(base), ...thresholdsOf(base)].flatMap((rule) => {
    if (isKept(rule, kept)) return [];
    const edited = kept.find(({ name }) => name === rule.name);
    const isNamed = root === undefined || edited?.at?.file === basename(now.file);
    const verb = !edited ? 'removes' : edited.content === rule.content ? 'weakens' : 'edits';
    const what = `${verb} ${rule.name}${isNamed ? '' : ` in ${root}`}`;
    return warning('rule-changed', `this change ${what}`, { at: edited?.at });
  });
}

function isKept({ name, content, laxness = 0 }: Rule, among: readonly Rule[]): boolean {
  return among.some(
    (other) => other.name === name && other.content === content && (other.laxness ?? 0) <= laxness,
  );
}

const pruneModes: readonly Prune['workspaces'][] = ['keep', 'safe', 'force'];

/** What every root file has, because it has a default. */
function thresholdsOf({ limits, prune }: Configuration): readonly Rule[] {
  const keys = Object.keys(limitKeys) as (keyof typeof limitKeys)[];
  return [
    ...keys.map((key) => ({
      name: `limits.${limitKeys[key]}`,
      laxness: limits[key] ?? (key === 'exceptionDays' ? defaultExceptionDays : Number.POSITIVE_INFINITY),
      at: limits.locations?.[key],
    })),
    { name: 'prune.workspaces', laxness: pruneModes.indexOf(prune.workspaces) },
    { name: 'prune.team-access', laxness: Number(prune.teamAccess) },
  ];
}

function rulesOf(configuration: Configuration): readonly Rule[] {
  const {
    settings: { freeze = [] } = {},
    policies = [],
    scope,
    scopeAt,
    guards,
    holds,
    service,
  } = configuration;
  const scopeText = canonicalJson({ ...scope, taggedAt: null, enforce: null });
  const rules: readonly (Rule | readonly Rule[])[] = [
    scope ? { name: 'scope', content: scopeText, laxness: Number(!scope.enforce), at: scopeAt } : [],
    (freeze as readonly Values[]).map((window, index) => ({
      name: `freeze window "${window.reason}"`,
      // A selector names aliases, which the files can give to another project.
      content: canonicalJson([window, { ...holds?.freeze[index]?.select }]),
      at: holds?.freeze[index]?.location,
    })),
    guards.protect.map(({ selector, written, location }) => ({
      name: `guards.protect ${written}`,
      content: canonicalJson({ ...selector }),
      at: location,
    })),
    (guards.keepAdmin ?? []).map(({ teams, location }) => ({
      name: 'guards.keep-admin',
      content: [...teams.keys()].sort().join(),
      at: location,
    })),
    guards.keepSelf ? { name: 'guards.keep-self', at: guards.keepSelf } : [],
    policies.map(({ id, on, when, require, severity, location }) => ({
      name: `policy ${id}`,
      content: canonicalJson([on, when?.text ?? '', require.text]),
      laxness: severities.indexOf(severity),
      at: location,
    })),
    protectedOf(configuration),
    service.address ? { name: 'service.address', content: service.address } : [],
  ];
  return rules.flat();
}

function protectedOf({ desired }: Configuration): readonly Rule[] {
  return [...desired.resources.values()].flatMap(({ address, declared, location }): Rule | [] =>
    declared?.protect ? { name: `protect of ${address}`, at: location } : [],
  );
}
