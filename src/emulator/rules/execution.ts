import { modeFlag, poolFlag } from '../../model/attributes.ts';
import type { Value } from '../../model/value.ts';
import { type ErrorObject, invalid } from '../http/responses.ts';
import type { Store, StoredProject } from '../store/store.ts';
import type { Draft, OwnValues } from './read-attributes.ts';

/**
 * Resolves the attributes that depend on each other: mode, pool, `operations` and the two flags of
 * `setting-overwrites`.
 *
 * A flag shows whether the workspace has its own value. A mode in the request sets both flags; a flag set to false
 * removes the value, and on the live service that of the mode also removes the pool; a change from agent mode to another
 * removes the pool (interface, section 2.1).
 */
export function resolveExecution(draft: Draft): void {
  const { world, organization, project, own, refuse } = draft;
  const { values: given } = draft.given;
  const inEffect = () => executionInEffect(world.store, organization, project, own);
  checkExecution(draft);
  Object.assign(own, flagsAndMode(draft));
  const pool = given['agent-pool-id'];
  if (typeof pool === 'string' && given[poolFlag] !== false) own[poolFlag] = true;
  const { mode } = inEffect();
  if (typeof pool === 'string' && mode !== 'agent')
    refuse('agent-pool-id', "must not be specified unless using 'agent' execution mode");
  if (mode !== 'agent' || own[poolFlag] === false) own['agent-pool-id'] = null;
  else if (pool !== undefined) own['agent-pool-id'] = pool;
  if (mode === 'agent' && inEffect().agentPool === null)
    refuse('agent-pool-id', "must be specified when using 'agent' execution mode");
}

function flagsAndMode({ world, own, given: { values: given } }: Draft): Record<string, Value> {
  const literal = given['execution-mode'] ?? modeOf(given.operations);
  const raised = literal !== undefined;
  const mode = given[modeFlag] ?? (raised || own[modeFlag] === true);
  // Without a pool there is nothing to keep, and in agent mode the workspace would have none.
  const keepsPool = world.dialect === 'iac' && own[poolFlag] === true && own['agent-pool-id'] !== null;
  const pool = given[poolFlag] ?? (given[modeFlag] === false ? keepsPool : raised || own[poolFlag] === true);
  return {
    [modeFlag]: mode,
    [poolFlag]: pool,
    'execution-mode': mode === true ? (literal ?? own['execution-mode']) : null,
  };
}

/** `operations` is the older spelling: false means that only state is stored. */
function modeOf(operations: Value | undefined): string | undefined {
  if (typeof operations !== 'boolean') return undefined;
  return operations ? 'remote' : 'local';
}

function checkExecution({ world, organization, given: { values: given }, refuse }: Draft): void {
  const { operations, 'execution-mode': mode, 'agent-pool-id': pool } = given;
  const isLive = world.dialect === 'terraform';
  if (operations !== undefined && mode !== undefined)
    refuse('operations', 'must not be specified together with execution-mode');
  // The live service derives the mode from `operations`, and requires flags that agree.
  const derived = isLive ? modeOf(operations) : undefined;
  if (given[modeFlag] === true && (mode ?? derived) === undefined)
    refuse('execution-mode', 'must be specified when setting-overwrites.execution-mode is true');
  const [ownMode, ownPool] = [given[modeFlag], given[poolFlag]];
  if (isLive && ownMode !== undefined && ownPool !== undefined && ownMode !== ownPool)
    refuse('setting-overwrites', flagsDiffer);
  if (typeof pool === 'string' && world.store.get('agentPools', pool)?.organization !== organization)
    refuse('agent-pool-id', 'Agent pool does not exist in this organization');
}

export const flagsDiffer =
  'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.';

/** The live service requires the default pool of a project or an organization with the mode `agent`, and only with it. */
export function defaultPoolErrors(
  mode: unknown,
  pool: string | null,
  isKnown: boolean,
  pointer: string,
): readonly ErrorObject[] {
  const refuse = (detail: string) => [invalid(pointer, detail)];
  if (pool !== null && mode !== 'agent')
    return refuse("Default agent pool must not be specified unless using 'agent' execution mode");
  if (pool === null && mode === 'agent')
    return refuse("Default agent pool must be specified when using 'agent' execution mode");
  return pool === null || isKnown ? [] : refuse('Agent pool does not exist in this organization');
}

/** The mode and the pool that apply to a workspace with its own values; without any, the defaults that it inherits. */
export function executionInEffect(
  store: Store,
  organization: string,
  project: StoredProject | undefined,
  own?: OwnValues,
): { readonly mode: string; readonly agentPool: string | null } {
  const { settings, defaultAgentPool = null } = store.get('organizations', organization) ?? {};
  const defaults =
    project?.executionMode === undefined
      ? { mode: String(settings?.['default-execution-mode'] ?? 'remote'), agentPool: defaultAgentPool }
      : { mode: project.executionMode, agentPool: project.agentPool ?? null };
  if (!own) return defaults;
  const { 'execution-mode': ownMode, 'agent-pool-id': ownPool } = own;
  const mode = own[modeFlag] === true && typeof ownMode === 'string' ? ownMode : defaults.mode;
  const pool = own[poolFlag] === true ? ownPool : defaults.agentPool;
  return { mode, agentPool: mode === 'agent' && typeof pool === 'string' ? pool : null };
}
