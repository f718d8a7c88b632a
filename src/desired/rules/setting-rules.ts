import { workspaceAttributes } from '../../model/attribute-table.ts';
import {
  attributePaths,
  destroyDuration,
  destroyTime,
  inheritsPool,
  modeFlag,
  poolFlag,
} from '../../model/attributes.ts';
import { type Diagnostic, problem, type SourceLocation, showPlace } from '../../model/diagnostic.ts';
import { type Dialect, dialectProblem } from '../../model/dialect.ts';
import { countingLists, type Field, type Fields, type Layered } from '../../model/fields.ts';
import { quote } from '../../model/text.ts';
import { isRecord, listTexts, type Value } from '../../model/value.ts';
import type { Loading } from '../problems.ts';

/** A workspace with all of its layers. */
export interface CheckedWorkspace {
  readonly name: string;
  readonly address: string;
  readonly fields: Fields;
}

export interface RuleContext {
  readonly loading: Loading;
  readonly dialect: Dialect | undefined;
  /** Workspaces that the files delete. */
  readonly tombstones: ReadonlyMap<string, SourceLocation>;
}

type Rule = (workspace: CheckedWorkspace, context: RuleContext) => Diagnostic | undefined;

/**
 * A conflict of two fields at the one that the workspace itself declares, with a reference to the other one. If one layer has
 * both, it is one problem of that layer.
 */
export function conflictOf(
  first: Field,
  second: Field,
  ...[code, message, options]: Parameters<typeof problem>
): Diagnostic {
  const [here, there] =
    first.layer !== 'workspace' && second.layer === 'workspace' ? [second, first] : [first, second];
  return problem(code, `${message}; see ${showPlace(there.location)}`, { at: here.location, ...options });
}

interface Exclusion {
  /** Whether a field excludes the other one. @default always */
  readonly counts?: (path: string, value: unknown) => boolean;
  readonly only?: Dialect;
  readonly hint?: string;
}

/** Two settings that exclude one another. */
function exclusive(first: string, second: string, { counts = () => true, only, hint }: Exclusion = {}): Rule {
  return ({ fields }, { dialect }) => {
    const [one, other] = [fields.get(first), fields.get(second)];
    if (!one || !other || (only !== undefined && only !== dialect)) return undefined;
    if (!counts(first, one.value) || !counts(second, other.value)) return undefined;
    const where = only === undefined ? '' : ` in the \`${only}\` dialect`;
    const message = `${shown(first, one)} cannot be combined with ${shown(second, other)}${where}`;
    return conflictOf(one, other, 'exclusive-settings', message, { hint });
  };
}

function shown(path: string, { value }: Field): string {
  const isWord = typeof value === 'boolean' || path === 'execution-mode';
  return quote(isWord ? `${path}: ${value}` : path);
}

const poolHint = 'write execution-mode: agent, or remove the pool (agent-pool-id: null if a layer names one)';

/** The rules of the interface for execution modes, agent pools and the flags of `setting-overwrites`. */
const executionRules: readonly Rule[] = [
  exclusive('operations', 'execution-mode', { hint: 'remove operations, which is deprecated' }),
  exclusive('agent-pool-id', 'execution-mode', {
    counts: (path, value) =>
      path === 'execution-mode' ? value === 'remote' || value === 'local' : value !== null,
    hint: poolHint,
  }),
  exclusive('agent-pool-id', 'operations', {
    counts: (path, value) => (path === 'operations' ? value === true : value !== null),
    hint: poolHint,
  }),
  ({ fields }) => {
    const mode = fields.get('execution-mode');
    const pool = fields.get('agent-pool-id');
    if (mode?.value !== 'agent') return undefined;
    // A pool that is there but wrong was reported; with the flag off it is the organization's.
    if (pool && pool.value !== null) return undefined;
    if (fields.get(poolFlag)?.value === false) return undefined;
    return problem('missing-key', 'execution-mode: agent requires "agent-pool-id"', { at: mode.location });
  },
  ({ fields }) => {
    const flag = fields.get(modeFlag);
    if (flag?.value !== true || fields.has('execution-mode')) return undefined;
    return problem('missing-key', 'setting-overwrites.execution-mode: true requires "execution-mode"', {
      at: flag.location,
    });
  },
  exclusive(poolFlag, modeFlag, {
    counts: (path, value) => value === (path === poolFlag),
    only: 'terraform',
    hint: 'write agent-pool: false to inherit both, or add execution-mode: agent and remove the flags',
  }),
];

/**
 * The layers of a workspace without a mode or pool that the flag beside it inherits. Layers override each other, so both are of
 * one layer here.
 */
export function withoutInheritedExecution(layered: Layered, address: string, { problems }: Loading): Layered {
  const isOff = (flag: string) => layered.fields.get(flag)?.value === false;
  const ownFlag = isOff(poolFlag) ? poolFlag : modeFlag;
  const ignored = [
    ...(isOff(modeFlag) ? ([['execution-mode', modeFlag]] as const) : []),
    ...(inheritsPool((flag) => layered.fields.get(flag)?.value)
      ? ([['agent-pool-id', ownFlag]] as const)
      : []),
  ].filter(([path]) => layered.fields.has(path));
  if (ignored.length === 0) return layered;
  const fields = new Map(layered.fields);
  const removed = new Map(layered.removed);
  for (const [path, flag] of ignored) {
    const [field, by] = [path, flag].map((key) => layered.fields.get(key)) as [Field, Field];
    fields.delete(path);
    removed.set(path, { field, path: flag, by });
    if (field.value === undefined || field.value === null) continue;
    problems.warning(
      'ignored-setting',
      `"${path}" is ignored: ${flag}: false selects the default of the project, else the organization's`,
      { at: { address, location: field.location } },
    );
  }
  return { ...layered, fields, removed };
}

/** Settings that exclude one another. */
const exclusionRules: readonly Rule[] = [
  exclusive('vcs-repo.vcs-app-installation-id', 'vcs-repo.oauth-token-id'),
  exclusive(destroyTime, destroyDuration, {
    counts: (_path, value) => value !== null,
    hint: 'keep one of the two, or clear one with null; with a duration, the service computes the time',
  }),
  exclusive('project-remote-state', 'global-remote-state', { counts: (_path, value) => value === true }),
  ({ fields }, { dialect }) => {
    for (const path of partialPaths) {
      const field = fields.get(path);
      const found =
        field && dialectProblem(path, { only: workspaceAttributes[path].only, dialect }, field.location);
      if (found) return found;
    }
    return undefined;
  },
  // The live service empties or refuses one of these settings. The interface does not document this.
  ({ fields }, { dialect }) => {
    const patterns = { text: 'trigger-patterns', field: named(fields.get('trigger-patterns')) };
    const prefixes = { text: 'trigger-prefixes', field: named(fields.get('trigger-prefixes')) };
    const regex = { text: 'tags-regex', field: named(fields.get('vcs-repo.tags-regex')) };
    const enabled = fields.get('file-triggers-enabled');
    const switched = (value: boolean) => ({
      text: `file-triggers-enabled: ${value}`,
      field: enabled?.value === value ? enabled : undefined,
    });
    for (const [one, other] of [
      [patterns, prefixes],
      [patterns, switched(false)],
      [regex, patterns],
      [regex, prefixes],
      [regex, switched(true)],
    ] as const)
      if (one.field && other.field)
        return conflictOf(
          one.field,
          other.field,
          'exclusive-settings',
          `live services accept only one of "${one.text}" and "${other.text}"`,
          { severity: dialect === 'terraform' ? 'error' : 'warning' },
        );
    return undefined;
  },
];

/** The attributes that services of one dialect have. */
const partialPaths = attributePaths.filter((path) => workspaceAttributes[path].only !== undefined);

/** The field if it is not an empty list or text. */
function named(field: Field | undefined): Field | undefined {
  const value = field?.value;
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'object') return field;
  const { exactly = [], add = [] } = value as {
    readonly exactly?: readonly Value[];
    readonly add?: readonly Value[];
  };
  return exactly.length + add.length > 0 ? field : undefined;
}

/**
 * A tag that a layer adds and the same or a lower layer removes with other letter case. The layers merge as if both were
 * two tags, because they are in one of the dialects; in the other one the removal would win.
 */
const tagRule: Rule = ({ fields }, { dialect }) => {
  const tags = fields.get('tags');
  const removed = tags && dialect !== 'iac' ? removedTags(tags) : undefined;
  if (!tags || !removed?.size) return undefined;
  for (const { tag, location } of lastMentions(tags).filter(({ isAdded }) => isAdded)) {
    const other = removed.get(tag.toLowerCase());
    if (other === undefined || other === tag) continue;
    return problem(
      'added-and-removed',
      `the tag ${quote(tag)} is added and ${quote(other)} is removed, but live services store tags in lower case: the workspace does not get the tag`,
      {
        severity: dialect === 'terraform' ? 'error' : 'warning',
        at: location,
        hint: `write ${quote(tag.toLowerCase())} to add it, or remove it here`,
      },
    );
  }
  return undefined;
};

/** What all layers together remove, by the tag in lower case. */
function removedTags({ value }: Field): ReadonlyMap<string, string> {
  const { remove, except } = isRecord(value) ? value : {};
  const tags = [remove, except].flatMap(listTexts);
  return new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
}

/** The highest entry of each tag, whatever its case. In one layer, an addition is higher than a removal. */
function lastMentions(tags: Field) {
  const mentions = [...countingLists(tags)].flatMap(({ field, list }) =>
    list.items.map((item, index) => ({
      tag: String(item),
      isAdded: list.effect !== 'remove',
      field,
      location: list.locate(index),
    })),
  );
  const last = new Map<string, (typeof mentions)[number]>();
  for (const mention of mentions) {
    const key = mention.tag.toLowerCase();
    const known = last.get(key);
    if (mention.isAdded || known?.field !== mention.field) last.set(key, mention);
  }
  return [...last.values()];
}

/** The rules that look at several values of a workspace, which may come from several layers. */
export const settingRules: readonly Rule[] = [...executionRules, ...exclusionRules, tagRule];
