import { basename } from 'node:path';
import { limitKeys } from '../../desired/settings.ts';
import { defaultExceptionDays } from '../../hold/at-time.ts';
import type { AdminGuard, Configuration, Limits, Prune } from '../../model/configuration.ts';
import { type Diagnostic, note, type SourceLocation, severities, warning } from '../../model/diagnostic.ts';
import { canonicalJson, isRecord, type Value } from '../../model/value.ts';

interface Rule {
  readonly name: string;
  readonly content: string;
  /** Of a policy or a scope, which are weaker with a higher one: its index in {@link severities}. */
  readonly level?: number;
  /** Of `guards.keep-admin`, which is weaker with more of them. */
  readonly teams?: AdminGuard['teams'] | undefined;
  readonly at?: SourceLocation | undefined;
}

interface Found extends Pick<Rule, 'at'> {
  readonly make: typeof note;
  readonly what: string;
}

/**
 * The rules that the base of a root file has, and the file has no more, with another content or with another meaning. The ends
 * of access depend on the live state, too: src/check/ends-of-access.ts.
 *
 * @param root the name of the root file, in a run of several
 * @param mates the root files of the organization, among which a protected workspace can move
 */
export function changedRules(
  now: Configuration,
  base: Configuration,
  root?: string,
  mates: readonly Configuration[] = [],
): Diagnostic[] {
  const kept = [...rulesOf(now), ...mates.flatMap(protectedOf)];
  const former = rulesOf(base);
  const found = [
    ...former.flatMap((rule) => changesOf(rule, kept)),
    ...raisedLimits(now.limits, base.limits),
    ...widenedPrune(now.prune, base.prune),
    ...changedMeanings(now, base, { kept, former }),
    ...changedExceptions(now, base),
  ];
  return found.map(({ make, what, at }) => {
    const isNamed = root === undefined || at?.file === basename(now.file);
    return make('rule-changed', `this change ${what}${isNamed ? '' : ` in ${root}`}`, { at });
  });
}

function changesOf(rule: Rule, kept: readonly Rule[]): Found[] {
  const { name, content, level = 0 } = rule;
  const same = kept.filter((other) => other.name === name);
  const [first] = same;
  if (first === undefined) return [{ make: warning, what: `removes ${name}` }];
  const isEdited = !same.some((other) => other.content === content);
  const { at, level: next = 0 } = first;
  const added = isEdited ? addedTeams(rule, first) : [];
  const edit: Found[] = isEdited || next < level ? [{ make: note, what: `edits ${name}`, at }] : [];
  if (added.length > 0) return [{ make: warning, what: `adds ${added.join(', ')} to ${name}`, at }];
  if (next <= level) return edit;
  const lowered = `lowers the severity of ${name} from ${severities[level]} to ${severities[next]}`;
  return [{ make: warning, what: name === 'scope' ? 'sets scope.enforce to false' : lowered, at }, ...edit];
}

function addedTeams({ teams: was }: Rule, { teams: is }: Rule): readonly string[] {
  return was && is ? [...is].flatMap(([id, team]) => (was.has(id) ? [] : team)) : [];
}

const limitNames = Object.keys(limitKeys) as (keyof typeof limitKeys)[];

/** The limit in effect: a root file that sets none has the default. */
function limitOf(limits: Limits, key: keyof typeof limitKeys): number {
  return limits[key] ?? (key === 'exceptionDays' ? defaultExceptionDays : Number.POSITIVE_INFINITY);
}

function raisedLimits(now: Limits, base: Limits): Found[] {
  return limitNames.flatMap((key): Found[] => {
    const [from, to] = [limitOf(base, key), limitOf(now, key)];
    if (to <= from) return [];
    const name = `limits.${limitKeys[key]}`;
    const at = now.locations?.[key];
    const raised = `${from} to ${to}`;
    if (at) return [{ make: warning, what: `raises ${name} from ${raised}`, at }];
    const effect = to === Number.POSITIVE_INFINITY ? '' : `, which raises it from ${raised}`;
    return [{ make: warning, what: `removes ${name}${effect}` }];
  });
}

const pruneModes: readonly Prune['workspaces'][] = ['keep', 'safe', 'force'];

function widenedPrune(now: Prune, base: Prune): Found[] {
  const isWider = pruneModes.indexOf(now.workspaces) > pruneModes.indexOf(base.workspaces);
  return [
    ...(isWider ? [{ make: warning, what: `sets prune.workspaces to ${now.workspaces}` }] : []),
    ...(now.teamAccess && !base.teamAccess
      ? [{ make: warning, what: 'sets prune.team-access to true' }]
      : []),
  ];
}

/** A root file, by its name in reports; one that only the base has, by its path there. */
export interface NamedRoot {
  readonly name: string;
  readonly configuration: Configuration;
}

/**
 * What a root file takes over from another one of the base without the rules that hold for one root file only: freeze windows,
 * policies and limits.
 */
export function movedRules(
  { name: to, configuration: now }: NamedRoot,
  base: Configuration,
  others: readonly NamedRoot[],
): Diagnostic[] {
  const kept = rulesOf(now);
  return others.flatMap(({ name: from, configuration: former }): Diagnostic[] => {
    const isOfOne = former.desired.organization.toLowerCase() === now.desired.organization.toLowerCase();
    if (former === base || !isOfOne) return [];
    const [first, ...more] = [...now.desired.resources.values()].filter(
      ({ address }) => former.desired.resources.has(address) && !base.desired.resources.has(address),
    );
    const lost = [
      ...rulesOf(former).flatMap((rule) =>
        /^(freeze window|policy) /.test(rule.name) && !isKept(rule, kept) ? rule.name : [],
      ),
      ...limitNames.flatMap((key) =>
        limitOf(now.limits, key) > limitOf(former.limits, key) ? `limits.${limitKeys[key]}` : [],
      ),
    ];
    if (first === undefined || lost.length === 0) return [];
    const { address, location } = first;
    const count = more.length === 0 ? '' : ` (and ${more.length} more)`;
    const weaker = lost.length === 1 ? 'is weaker or missing' : 'are weaker or missing';
    const what = `this change moves ${address}${count} from ${from} to ${to}, where ${lost.join(', ')} ${weaker}`;
    return [warning('rule-changed', what, { at: { address, location } })];
  });
}

function isKept({ name, content, level = 0 }: Rule, among: readonly Rule[]): boolean {
  return among.some(
    (other) => other.name === name && other.content === content && (other.level ?? 0) <= level,
  );
}

/** The rules of a removed root file that no root file of the run has. */
export function removedRules(
  { name, configuration }: NamedRoot,
  heads: readonly Configuration[],
): Diagnostic[] {
  const kept = heads.flatMap(rulesOf);
  const lost = rulesOf(configuration).filter((rule) => !isKept(rule, kept));
  return lost.map((rule) => warning('rule-changed', `this change removes ${rule.name} in ${name}`));
}

function changedExceptions({ holds: now }: Configuration, { holds: base }: Configuration): Found[] {
  return (now?.exceptions ?? []).flatMap(({ address, field, until, location }): Found | [] => {
    const former = base?.exceptions.find((one) => one.address === address && one.field === field);
    if (former && until.time <= former.until.time) return [];
    const dates = former ? `from ${former.until.written} to` : 'until';
    const what = `${former ? 'extends' : 'adds'} the exception for ${field} of ${address} ${dates} ${until.written}`;
    return { make: note, what, at: location };
  });
}

/** An alias of a project or a team with another value means another one in a rule that names it. */
function changedMeanings(
  now: Configuration,
  base: Configuration,
  { kept, former }: Readonly<Record<'kept' | 'former', readonly Rule[]>>,
): Found[] {
  return (['projects', 'teams'] as const).flatMap((kind) =>
    [...now.aliases[kind]].flatMap(([alias, value]): Found[] => {
      if (value === base.aliases[kind].get(alias)) return [];
      const quoted = [JSON.stringify(alias), `'${alias}'`];
      const named = former.find(({ name, content }) =>
        quoted.some((text) => `${name} ${content.replaceAll('\\"', '"')}`.includes(text)),
      );
      if (named === undefined) return [];
      const { at } = kept.find(({ name }) => name === named.name) ?? {};
      return [{ make: warning, what: `edits ${kind}.${alias}, which ${named.name} names`, at }];
    }),
  );
}

function rulesOf(configuration: Configuration): readonly Rule[] {
  const { settings = {}, policies = [], scope, scopeAt, guards, holds } = configuration;
  const { protect, ...others } = isRecord(settings.guards) ? settings.guards : {};
  const [admins] = guards.keepAdmin ?? [];
  const scopeText = canonicalJson({ ...scope, taggedAt: null, enforce: null });
  return [
    ...(scope ? [{ name: 'scope', content: scopeText, level: Number(!scope.enforce), at: scopeAt }] : []),
    ...listOf(settings.freeze).map((window, index): Rule => {
      const { reason } = isRecord(window) ? window : {};
      const at = holds?.freeze[index]?.location;
      return { name: `freeze window "${reason}"`, content: canonicalJson(window), at };
    }),
    ...listOf(protect).map(
      (entry, index): Rule => ({
        name: `guards.protect ${canonicalJson(entry)}`,
        content: '',
        at: guards.protect[index]?.location,
      }),
    ),
    ...Object.entries(others).flatMap(([key, guard]): Rule[] => {
      const rule = { name: `guards.${key}`, content: canonicalJson(guard) };
      if (guard === false) return [];
      return [key === 'keep-admin' ? { ...rule, teams: admins?.teams, at: admins?.location } : rule];
    }),
    ...policies.map(
      ({ id, on, when, require, severity, location }): Rule => ({
        name: `policy ${id}`,
        content: canonicalJson([on, when?.text ?? '', require.text]),
        level: severities.indexOf(severity),
        at: location,
      }),
    ),
    ...protectedOf(configuration),
  ];
}

function protectedOf({ desired }: Configuration): readonly Rule[] {
  return [...desired.resources.values()].flatMap(({ address, declared, location }): Rule | [] =>
    declared?.protect ? { name: `protect of ${address}`, content: '', at: location } : [],
  );
}

function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}
