import { executionModes } from '../model/attributes.ts';
import type { Stating } from './stating.ts';

const modeFlag = 'setting-overwrites.execution-mode';
const poolFlag = 'setting-overwrites.agent-pool';

/**
 * The execution mode with its pool and flags. A mode that is inherited is not said: declared, it would become the
 * workspace's own. Only where a layer names a mode does a workspace that inherits one have to say that it does.
 */
export function stateExecution(stating: Stating): void {
  const { attributes } = stating.workspace;
  const mode = attributes['execution-mode'];
  stateFlag(stating, modeFlag);
  stateFlag(stating, poolFlag);
  // The flag takes away what a layer says of mode and pool.
  if (attributes[modeFlag] === false) return;
  if (mode === 'agent') stateAgent(stating);
  else if (executionModes.some((known) => known === mode)) {
    stating.say('execution-mode', mode ?? null);
    // A pool that a service still shows may neither be declared nor cleared beside such a mode.
    if (attributes['agent-pool-id']) stating.leaveOut('agent-pool-id');
    else stating.say('agent-pool-id', null, true);
  } else {
    stating.leaveOut('execution-mode');
    stating.leaveOut('agent-pool-id');
  }
}

function stateAgent(stating: Stating): void {
  const { attributes } = stating.workspace;
  const pool = attributes['agent-pool-id'];
  if (attributes[poolFlag] === false) {
    stating.say('execution-mode', 'agent');
    stating.say(poolFlag, false);
    stating.leaveOut('agent-pool-id');
    return;
  }
  const alias = typeof pool === 'string' ? stating.aliases.use('agent-pools', pool) : undefined;
  if (alias === undefined) {
    stating.leaveOut('execution-mode', 'it is agent, and the service tells no pool that a file may name');
    stating.leaveOut('agent-pool-id');
  } else {
    stating.say('execution-mode', 'agent');
    stating.say('agent-pool-id', alias);
  }
}

/** A flag goes without saying: naming the mode raises it, and naming nothing leaves it alone. */
function stateFlag(stating: Stating, flag: typeof modeFlag | typeof poolFlag): void {
  const value = stating.workspace.attributes[flag];
  if (typeof value === 'boolean') stating.say(flag, value, true);
  else stating.leaveOut(flag);
}
