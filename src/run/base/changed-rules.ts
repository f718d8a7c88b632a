import type { Configuration } from '../../model/configuration.ts';
import { type Diagnostic, note, warning } from '../../model/diagnostic.ts';
import type { Resource } from '../../model/state.ts';
import { canonicalJson, isRecord, type Value } from '../../model/value.ts';

type RulesOf = Pick<Configuration, 'settings' | 'policies' | 'desired' | 'aliases' | 'scope'>;

/** What it is called, and its content as text. */
type Rule = readonly [name: string, content: string];

/** The rules that the base of a root file has, and the file has no more, with another content or with another meaning. */
export function changedRules(now: RulesOf, base: RulesOf): Diagnostic[] {
  const kept = rulesOf(now);
  const found = rulesOf(base).flatMap(([name, content]): Diagnostic[] => {
    const same = kept.filter(([one]) => one === name).map(([, other]) => other);
    const [first] = same;
    if (same.includes(content)) return [];
    if (first === undefined) return [warning('rule-changed', `this change removes ${name}`)];
    if (!name.startsWith('limits.')) return [note('rule-changed', `this change edits ${name}`)];
    const raised = `this change raises ${name} from ${content} to ${first}`;
    return Number(first) > Number(content) ? [warning('rule-changed', raised)] : [];
  });
  return [...found, ...changedMeanings(now, base), ...accessWithoutEnd(now, base)];
}

/** An alias of a project or a team with another value means another one in a rule that names it. */
function changedMeanings(now: RulesOf, base: RulesOf): Diagnostic[] {
  return (['projects', 'teams'] as const).flatMap((kind) =>
    [...now.aliases[kind]].flatMap(([alias, value]) => {
      if (value === base.aliases[kind].get(alias)) return [];
      const quoted = [JSON.stringify(alias), `'${alias}'`];
      const named = rulesOf(base).find(([name, content]) =>
        quoted.some((text) => `${name} ${content.replaceAll('\\"', '"')}`.includes(text)),
      );
      if (named === undefined) return [];
      return [warning('rule-changed', `this change edits ${kind}.${alias}, which ${named[0]} names`)];
    }),
  );
}

function accessWithoutEnd({ desired }: RulesOf, base: RulesOf): Diagnostic[] {
  const untilOf = (one: Resource | undefined) => one?.declared?.until?.written;
  return [...base.desired.resources.values()].flatMap((former) => {
    const kept = desired.resources.get(former.address);
    if (kept === undefined || untilOf(former) === undefined || untilOf(kept) !== undefined) return [];
    return [warning('rule-changed', `this change removes until of ${former.address}`)];
  });
}

function rulesOf({ settings = {}, policies = [], desired, scope }: RulesOf): readonly Rule[] {
  const { freeze, guards, limits } = settings;
  const { protect, ...others } = isRecord(guards) ? guards : {};
  const protectedOnes = [...desired.resources.values()].filter(({ declared }) => declared?.protect);
  return [
    ...(scope ? [['scope', canonicalJson({ ...scope, taggedAt: null })] as const] : []),
    ...listOf(freeze).map((window): Rule => {
      const { reason } = isRecord(window) ? window : {};
      return [`freeze window "${reason}"`, canonicalJson(window)];
    }),
    ...listOf(protect).map((entry): Rule => [`guards.protect ${canonicalJson(entry)}`, '']),
    ...Object.entries(others).map(([key, guard]): Rule => [`guards.${key}`, canonicalJson(guard)]),
    ...Object.entries(isRecord(limits) ? limits : {}).map(
      ([key, limit]): Rule => [`limits.${key}`, String(limit)],
    ),
    ...policies.map(
      ({ id, on, when, require, severity }): Rule => [
        `policy ${id}`,
        canonicalJson([on, when?.text ?? '', require.text, severity]),
      ],
    ),
    ...protectedOnes.map(({ address }): Rule => [`protect of ${address}`, '']),
  ];
}

function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}
