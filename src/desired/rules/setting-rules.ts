import { workspaceAttributes } from '../../model/attribute-table.ts';
import {
  attributePaths,
  destroyDuration,
  destroyTime,
  exclusiveTriggers,
  isTriggerOn,
  modeFlag,
  poolFlag,
} from '../../model/attributes.ts';
import { type Diagnostic, type ProblemOptions, problem, showPlace } from '../../model/diagnostic.ts';
import { type Dialect, dialectProblem } from '../../model/dialect.ts';
import type { Field, Fields, Layered } from '../../model/fields.ts';
import { quote } from '../../model/text.ts';

/*
 * The rules of the interface that look at several values of a workspace, which may come from several layers.
 */

type Found = Diagnostic | undefined;
export type FindProblem = (
  fields: Fields,
  dialect: Dialect | undefined,
  removed: Layered['removed'],
) => Found;

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

function exclusionIn(fields: Fields, exclusion: Exclusion, dialect: Dialect | undefined): Found {
  const { first, second, ifFirst = () => true, ifSecond = () => true, only, hint } = exclusion;
  const [one, other] = [fields.get(first), fields.get(second)];
  // A value of a wrong type is none.
  if (one?.value === undefined || other?.value === undefined) return undefined;
  if (only !== undefined && only !== dialect) return undefined;
  if (!ifFirst(one.value) || !ifSecond(other.value)) return undefined;
  const where = only === undefined ? '' : ` in the \`${only}\` dialect`;
  const message = `${shown(first, one)} cannot be combined with ${shown(second, other)}${where}`;
  return conflictOf([one, other], 'exclusive-settings', message, { hint });
}

function shown(path: string, { value }: Field): string {
  return quote(typeof value === 'boolean' || path === 'execution-mode' ? `${path}: ${value}` : path);
}

/**
 * A conflict of two fields at the one that the workspace itself declares, with a reference to the other one. If one layer has
 * both, it is one problem of that layer.
 */
export function conflictOf(
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

export const settingRules: readonly FindProblem[] = [
  ...exclusions.map(
    (exclusion): FindProblem =>
      (fields, dialect) =>
        exclusionIn(fields, exclusion, dialect),
  ),
  ...[missingPool, missingMode, notInDialect, triggers],
];
