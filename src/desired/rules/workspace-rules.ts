import { workspaceAttributes } from '../../model/attribute-table.ts';
import {
  attributePaths,
  destroyDuration,
  destroyTime,
  exclusiveTriggers,
  inheritsPool,
  isTriggerOn,
  modeFlag,
  poolFlag,
  sharingSwitches,
} from '../../model/attributes.ts';
import {
  type Diagnostic,
  type ProblemOptions,
  problem,
  type SourceLocation,
  showPlace,
} from '../../model/diagnostic.ts';
import { type Dialect, dialectProblem } from '../../model/dialect.ts';
import { countingLists, type Field, type Fields, type Layered } from '../../model/fields.ts';
import { quote } from '../../model/text.ts';
import { isRecord } from '../../model/value.ts';
import { type Loading, reporter } from '../problems.ts';
import type { RawLayer } from '../schema/layer-schema.ts';

/* The rules of the interface that look at several values of a workspace, which may come from several layers. */

type Found = Diagnostic | undefined;
type FindProblem = (fields: Fields, dialect: Dialect | undefined, removed: Layered['removed']) => Found;

interface Exclusion {
  readonly first: string;
  readonly second: string;
  readonly ifFirst?: (value: Field['value']) => boolean;
  readonly ifSecond?: (value: Field['value']) => boolean;
  readonly only?: Dialect;
  readonly hint?: string;
}

const isSet = (value: Field['value']) => value !== null;
const isTrue = (value: Field['value']) => value === true;
const poolHint = 'write execution-mode: agent, or remove the pool (agent-pool-id: null if a layer names one)';

const exclusions: readonly Exclusion[] = [
  { first: 'operations', second: 'execution-mode', hint: 'remove operations, which is deprecated' },
  {
    first: 'operations',
    second: modeFlag,
    ifSecond: (flag) => flag === false,
    hint: 'remove operations, which is deprecated',
  },
  {
    first: 'agent-pool-id',
    ifFirst: isSet,
    second: 'execution-mode',
    ifSecond: (mode) => mode === 'remote' || mode === 'local',
    hint: poolHint,
  },
  { first: 'agent-pool-id', ifFirst: isSet, second: 'operations', ifSecond: isTrue, hint: poolHint },
  {
    first: poolFlag,
    ifFirst: isTrue,
    second: modeFlag,
    ifSecond: (flag) => flag === false,
    only: 'terraform',
    hint: 'write agent-pool: false to inherit both, or add execution-mode: agent and remove the flags',
  },
  { first: 'vcs-repo.vcs-app-installation-id', second: 'vcs-repo.oauth-token-id' },
  {
    first: destroyTime,
    ifFirst: isSet,
    second: destroyDuration,
    ifSecond: isSet,
    hint: 'keep one of the two, or clear one with null; with a duration, the service computes the time',
  },
  { first: 'project-remote-state', ifFirst: isTrue, second: 'global-remote-state', ifSecond: isTrue },
];

function exclusionRule(exclusion: Exclusion): FindProblem {
  const { first, second, ifFirst = () => true, ifSecond = () => true, only, hint } = exclusion;
  const where = only === undefined ? '' : ` in the \`${only}\` dialect`;
  return (fields, dialect) => {
    const [one, other] = [fields.get(first), fields.get(second)];
    // A value of a wrong type is none.
    if (one?.value === undefined || other?.value === undefined) return undefined;
    if (only !== undefined && only !== dialect) return undefined;
    if (!ifFirst(one.value) || !ifSecond(other.value)) return undefined;
    const message = `${shown(first, one)} cannot be combined with ${shown(second, other)}${where}`;
    return conflictOf([one, other], 'exclusive-settings', message, { hint });
  };
}

function shown(path: string, { value }: Field): string {
  return quote(typeof value === 'boolean' || path === 'execution-mode' ? `${path}: ${value}` : path);
}

/**
 * A conflict of two fields at the one that the workspace itself declares, with a reference to the other one. If one layer has
 * both, it is one problem of that layer.
 */
function conflictOf(
  [first, second]: readonly [Field, Field],
  code: string,
  message: string,
  options: ProblemOptions,
): Diagnostic {
  const isLower = first.layer !== 'workspace' && second.layer === 'workspace';
  const [here, there] = isLower ? [second, first] : [first, second];
  return problem(code, `${message}; see ${showPlace(there.location)}`, { at: here.location, ...options });
}

const missingPool: FindProblem = (fields, _dialect, removed) => {
  const mode = fields.get('execution-mode');
  const pool = fields.get('agent-pool-id');
  // A pool that is there but wrong was reported; with the flag off it is the organization's.
  const hasPool = (pool && pool.value !== null) || fields.get(poolFlag)?.value === false;
  if (mode?.value !== 'agent' || hasPool) return undefined;
  const hint = 'set agent-pool-id to a pool, or execution-mode to `remote` or `local`';
  const message = 'execution-mode: agent requires "agent-pool-id"';
  return missingKey(message, mode, pool ?? removed.get('agent-pool-id')?.by, hint);
};

const missingMode: FindProblem = (fields, _dialect, removed) => {
  const flag = fields.get(modeFlag);
  if (flag?.value !== true || fields.has('execution-mode')) return undefined;
  const message = 'setting-overwrites.execution-mode: true requires "execution-mode"';
  return missingKey(
    message,
    flag,
    removed.get('execution-mode')?.by,
    'set execution-mode, or remove the flag',
  );
};

/** At the field that requires the key, unless another one clears the key or leaves it unmanaged. */
function missingKey(message: string, requiring: Field, cause: Field | undefined, hint: string): Diagnostic {
  if (cause) return conflictOf([cause, requiring], 'missing-key', message, { hint });
  return problem('missing-key', message, { at: requiring.location, hint });
}

const partialPaths = attributePaths.filter((path) => workspaceAttributes[path].only !== undefined);

const notInDialect: FindProblem = (fields, dialect) =>
  partialPaths
    .map((path) => {
      const { only } = workspaceAttributes[path];
      const field = fields.get(path);
      return field && dialectProblem(path, { only, dialect }, field.location);
    })
    .find((found) => found !== undefined);

const triggers: FindProblem = (fields, dialect) => {
  for (const pair of exclusiveTriggers) {
    const on = pair.flatMap(({ path, ...trigger }) => {
      const field = fields.get(path);
      const text = trigger.is === undefined ? path.replace('vcs-repo.', '') : `${path}: ${trigger.is}`;
      return field && isTriggerOn({ path, ...trigger }, field.value) ? { field, text } : [];
    });
    const [one, other] = on;
    if (!one || !other) continue;
    const message = `live services accept only one of "${one.text}" and "${other.text}"`;
    const severity = dialect === 'terraform' ? 'error' : 'warning';
    return conflictOf([one.field, other.field], 'exclusive-settings', message, { severity });
  }
  return undefined;
};

const settingRules: readonly FindProblem[] = [
  ...exclusions.map(exclusionRule),
  ...[missingPool, missingMode, notInDialect, triggers],
];

interface CheckedWorkspace extends Pick<Layered, 'fields' | 'removed'> {
  readonly name: string;
  readonly address: string;
}

interface RuleContext {
  readonly loading: Loading;
  readonly dialect: Dialect | undefined;
  readonly tombstones: ReadonlyMap<string, SourceLocation>;
}

const consumersPath = 'remote-state-consumers';

function declaredSwitch(fields: Fields) {
  for (const path of sharingSwitches) {
    const field = fields.get(path);
    if (field?.value === true) return { path, field };
  }
  return undefined;
}

const sharedConsumers: FindProblem = (fields) => {
  const consumers = fields.get(consumersPath);
  const shared = declaredSwitch(fields);
  if (!consumers || !shared) return undefined;
  const { path, field } = shared;
  const message = `"${consumersPath}" cannot be combined with ${path}: true`;
  const hint = `write ${path}: false to share the state with these consumers only`;
  return conflictOf([consumers, field], 'consumers-with-global', message, { hint });
};

export function checkWorkspace(workspace: CheckedWorkspace, context: RuleContext): void {
  const { fields, removed, address } = workspace;
  for (const find of [...settingRules, sharedConsumers]) {
    const found = find(fields, context.dialect, removed);
    if (found) context.loading.problems.add({ ...found, address });
  }
  const consumers = fields.get(consumersPath);
  if (consumers) checkConsumers(workspace, consumers, context);
}

function checkConsumers(
  { name, address }: CheckedWorkspace,
  consumers: Field,
  { loading, tombstones }: RuleContext,
): void {
  const { error } = reporter(loading, address);
  const rule = isRecord(consumers.value) ? consumers.value : {};
  const wanted = new Set<unknown>([rule.exactly, rule.add].flat());
  for (const { field, list } of countingLists(consumers))
    for (const [index, consumer] of list.items.entries()) {
      if (typeof consumer !== 'string' || list.effect === 'remove' || !wanted.has(consumer)) continue;
      const tombstone = tombstones.get(consumer);
      if (tombstone)
        error(
          'reference-to-tombstone',
          `${quote(consumer)} is deleted (state: absent at ${showPlace(tombstone)})`,
          list.locate(index),
        );
      // A list of a layer leaves the workspace itself out, as a selector does.
      else if (consumer === name && field.layer === 'workspace')
        error('self-consumer', `the workspace ${quote(name)} cannot be its own consumer`, list.locate(index));
    }
}

function withoutField(layered: Layered, path: string, [by, field]: readonly [string, Field]): Layered {
  const fields = new Map(layered.fields);
  const removed = new Map(layered.removed);
  removed.set(path, { field: fields.get(path) as Field, path: by, by: field });
  fields.delete(path);
  return { ...layered, fields, removed };
}

/** The layers of a workspace without what other fields of them make ineffective. */
export function withoutIgnored(layered: Layered, address: string, loading: Loading): Layered {
  return withoutInheritedExecution(withoutIgnoredConsumers(layered, address, loading), address, loading);
}

function withoutIgnoredConsumers(layered: Layered, address: string, loading: Loading): Layered {
  const consumers = layered.fields.get(consumersPath);
  const shared = declaredSwitch(layered.fields);
  if (!consumers || consumers.layer === 'workspace' || !shared) return layered;
  const { path, field } = shared;
  reporter(loading, address).note(
    'consumers-ignored',
    `"${consumersPath}" of a layer is ignored: ${path} is true, see ${showPlace(field.location)}`,
    consumers.location,
    `write ${path}: false to share the state with these consumers only, or unmanaged: [${consumersPath}] at the workspace`,
  );
  return withoutField(layered, consumersPath, [path, field]);
}

/** Without a mode or pool that the flag beside it inherits. Layers override each other, so both are of one layer here. */
function withoutInheritedExecution(layered: Layered, address: string, loading: Loading): Layered {
  const valueAt = (path: string) => layered.fields.get(path)?.value;
  const ownFlag = valueAt(poolFlag) === false ? poolFlag : modeFlag;
  const ignored = [
    ['execution-mode', valueAt(modeFlag) === false, modeFlag],
    ['agent-pool-id', inheritsPool(valueAt), ownFlag],
  ] as const;
  return ignored.reduce((all, [path, isIgnored, flag]) => {
    const field = layered.fields.get(path);
    if (!isIgnored || !field) return all;
    const message = `"${path}" is ignored: ${flag}: false selects the default of the project, else the organization's`;
    if (field.value !== undefined && field.value !== null)
      reporter(loading, address).warning('ignored-setting', message, field.location);
    return withoutField(all, path, [flag, layered.fields.get(flag) as Field]);
  }, layered);
}

export function checkTombstone(
  layer: RawLayer,
  { address, base, loading }: { address: string; base: Fields; loading: Loading },
): void {
  const { error, atKey } = reporter(loading, address);
  const former = layer['renamed-from'];
  if (former !== undefined)
    error(
      'renamed-from',
      `a workspace with state: absent is not renamed, and ${quote(former)} would stay`,
      atKey(layer, 'renamed-from'),
      `remove the line; to delete ${quote(former)}, declare it with state: absent`,
    );
  const isOwn = Object.hasOwn(layer, 'protect');
  const inherited = base.get('protect');
  if (isOwn ? layer.protect !== true : inherited?.value !== true) return;
  const message = `the workspace is protected${isOwn || !inherited ? '' : ` (${showPlace(inherited.location)})`} and cannot be deleted`;
  const hint = isOwn ? 'remove protect: true first' : 'add protect: false next to state: absent';
  error('protected', message, atKey(layer, isOwn ? 'protect' : 'state'), hint);
}
