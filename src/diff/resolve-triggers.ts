import type { AttributePath } from '../model/attribute-values.ts';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import { located } from './comparison.ts';
import { sameAttribute } from './normalize.ts';

const patterns = 'trigger-patterns';
const prefixes = 'trigger-prefixes';
const enabled = 'file-triggers-enabled';
const regex = 'vcs-repo.tags-regex';
const triggerPaths = [patterns, prefixes, enabled, regex] as const satisfies readonly AttributePath[];

/** One way to start runs: an attribute with a value, or with the boolean value `is`. */
interface Trigger {
  readonly path: AttributePath;
  readonly is?: boolean;
  /** The line that turns it off. */
  readonly off: string;
}

const byPatterns: Trigger = { path: patterns, off: 'trigger-patterns: []' };
const byPrefixes: Trigger = { path: prefixes, off: 'trigger-prefixes: []' };
const byTags: Trigger = { path: regex, off: 'vcs-repo: {tags-regex: null}' };
const onFiles: Trigger = { path: enabled, is: true, off: 'file-triggers-enabled: false' };
const onAnyPush: Trigger = { path: enabled, is: false, off: 'file-triggers-enabled: true' };

const exclusive: readonly (readonly [Trigger, Trigger])[] = [
  [byPatterns, byPrefixes],
  [byPatterns, onAnyPush],
  [byTags, byPatterns],
  [byTags, byPrefixes],
  [byTags, onFiles],
];

/**
 * The live service accepts one way to start runs at a time. It clears an undeclared list of patterns or prefixes when
 * the other one is set; the target does the same, so that the plan shows it. A combination that the service would refuse
 * because of an undeclared live value is an error of the plan, with the missing line as its hint.
 */
export function resolveTriggers(
  desired: WorkspaceResource,
  live: WorkspaceResource | undefined,
  { attributes, dialect }: { attributes: Record<string, Value>; dialect: Dialect },
): Diagnostic[] {
  if (dialect !== 'terraform') return [];
  const isWritten = (path: AttributePath) => !sameAttribute(path, live?.attributes[path], attributes[path]);
  for (const [named, other] of [
    [patterns, prefixes],
    [prefixes, patterns],
  ] as const) {
    const empties = isFilled(attributes[named]) && isWritten(named);
    if (empties && desired.attributes[other] === undefined && isFilled(attributes[other]))
      attributes[other] = [];
  }
  if (!triggerPaths.some(isWritten)) return [];
  // A new workspace has this default, which conflicts in the same way as a declared value.
  const after = live ? attributes : { [enabled]: true, ...attributes };
  return exclusive.flatMap(([one, other]) => {
    if (!holds(one, after) || !holds(other, after)) return [];
    const [first, second] = isDeclared(one, desired) ? [one, other] : [other, one];
    return isDeclared(first, desired) ? [exclusiveTriggers(desired, first, second, live !== undefined)] : [];
  });
}

function holds({ path, is }: Trigger, attributes: Values): boolean {
  const value = attributes[path];
  return is === undefined ? isFilled(value) : value === is;
}

function isFilled(value: Value | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== '';
}

function isDeclared({ path }: Trigger, { attributes }: WorkspaceResource): boolean {
  return attributes[path] !== undefined;
}

function exclusiveTriggers(
  desired: WorkspaceResource,
  first: Trigger,
  second: Trigger,
  isLive: boolean,
): Diagnostic {
  const whose = isDeclared(second, desired) ? 'and' : isLive ? 'and live it has' : 'and by default it has';
  return problem(
    'exclusive-settings',
    `"${desired.name}" declares ${shown(first)} ${whose} ${shown(second)}: this service accepts only one of the two`,
    {
      at: located(desired, first.path),
      hint: isDeclared(second, desired) ? 'keep one of the two triggers' : `add \`${second.off}\``,
    },
  );
}

function shown({ path, is }: Trigger): string {
  return is === undefined ? path : `${path}: ${is}`;
}
