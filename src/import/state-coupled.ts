import { hasRepository } from '../diff/workspace-target.ts';
import { durationPattern, executionModes } from '../model/attributes.ts';
import type { StatementBuilder, StatementPath } from './statement.ts';

const modeFlag = 'setting-overwrites.execution-mode';
const poolFlag = 'setting-overwrites.agent-pool';

/**
 * The execution mode with its pool and flags. An inherited mode is not stated: declared, it would become the
 * workspace's own. Only where a layer names a mode does a workspace that inherits one have to state that it does.
 */
export function stateExecution(builder: StatementBuilder): void {
  const { attributes } = builder.workspace;
  const mode = attributes['execution-mode'];
  stateFlag(builder, modeFlag);
  stateFlag(builder, poolFlag);
  // The flag takes away what a layer says of mode and pool.
  if (attributes[modeFlag] === false) return;
  if (mode === 'agent') stateAgent(builder);
  else if (executionModes.some((known) => known === mode)) {
    builder.state('execution-mode', mode ?? null);
    // A pool that a service still shows may neither be declared nor cleared beside such a mode.
    if (attributes['agent-pool-id']) builder.leaveOut('agent-pool-id');
    else builder.state('agent-pool-id', null, true);
  } else {
    builder.leaveOut('execution-mode');
    builder.leaveOut('agent-pool-id');
  }
}

function stateAgent(builder: StatementBuilder): void {
  const { attributes } = builder.workspace;
  const pool = attributes['agent-pool-id'];
  if (attributes[poolFlag] === false) {
    builder.state('execution-mode', 'agent');
    builder.state(poolFlag, false);
    builder.leaveOut('agent-pool-id');
    return;
  }
  const alias = typeof pool === 'string' ? builder.aliases.use('agent-pools', pool) : undefined;
  if (alias === undefined) {
    builder.leaveOut('execution-mode', 'it is agent, and the service tells no pool that a file may name');
    builder.leaveOut('agent-pool-id');
  } else {
    builder.state('execution-mode', 'agent');
    builder.state('agent-pool-id', alias);
  }
}

/** A flag goes without saying: naming the mode raises it, and naming nothing leaves it alone. */
function stateFlag(builder: StatementBuilder, flag: typeof modeFlag | typeof poolFlag): void {
  const value = builder.workspace.attributes[flag];
  if (typeof value === 'boolean') builder.state(flag, value, true);
  else builder.leaveOut(flag);
}

/** When it is destroyed. With a duration the service works the time out itself; and both may be the project's. */
export function stateSchedule(builder: StatementBuilder): void {
  const { attributes } = builder.workspace;
  const at = attributes['auto-destroy-at'] || null;
  const duration = attributes['auto-destroy-activity-duration'] || null;
  const isInherited = attributes['inherits-project-auto-destroy'] === true;

  if (isInherited) builder.leaveOut('auto-destroy-activity-duration');
  else if (duration !== null && !durationPattern.test(String(duration)))
    builder.leaveOut('auto-destroy-activity-duration', 'its form is unknown');
  else builder.state('auto-destroy-activity-duration', duration, duration === null);

  if (isInherited || (at !== null && duration !== null)) builder.leaveOut('auto-destroy-at');
  else if (at !== null && !isTimestamp(String(at))) builder.leaveOut('auto-destroy-at', 'it is no timestamp');
  else builder.state('auto-destroy-at', at, at === null);
}

function isTimestamp(text: string): boolean {
  const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;
  return form.test(text) && !Number.isNaN(Date.parse(text));
}

/** Where the repository is and how the service gets at it; what else belongs to it are attributes like others. */
export function stateRepository(builder: StatementBuilder): void {
  const { workspace, aliases } = builder;
  if (!hasRepository(workspace)) {
    builder.state('vcs-repo', null, true);
    return;
  }
  const text = (key: string) => {
    const value = workspace.attributes[`vcs-repo.${key}`];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const identifier = text('identifier');
  if (identifier === undefined) builder.leaveOut('vcs-repo.identifier');
  else builder.state('vcs-repo.identifier', identifier);

  const token = text('oauth-token-id');
  const connection = token === undefined ? undefined : aliases.use('vcs-connections', token);
  if (connection !== undefined) builder.state('vcs-repo.oauth-token-id', connection);
  else builder.leaveOut('vcs-repo.oauth-token-id', token && 'its value is no id of a VCS connection');

  const app = text('vcs-app-installation-id');
  if (app !== undefined && token === undefined) builder.state('vcs-repo.vcs-app-installation-id', app);
  else
    builder.leaveOut('vcs-repo.vcs-app-installation-id', app && 'the repository has an oauth-token-id too');
}

/**
 * The live service takes one way to start runs, and the language refuses two in its dialect. Where a service answers two
 * all the same, Git tags stand in the file rather than files, and patterns rather than the flag that forbids them; of
 * patterns and prefixes neither does, since naming one empties the other.
 */
export function exclusiveTriggers(builder: StatementBuilder): void {
  if (builder.live.dialect !== 'terraform') return;
  const { attributes } = builder.workspace;
  const fills = (path: StatementPath) => {
    const value = attributes[path];
    return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== '';
  };
  const leaveOut = (path: StatementPath, other: StatementPath) =>
    builder.leaveOut(path, `this dialect does not take it together with ${other}`);
  const [patterns, prefixes, enabled, regex] = [
    'trigger-patterns',
    'trigger-prefixes',
    'file-triggers-enabled',
    'vcs-repo.tags-regex',
  ] as const;
  if (fills(regex)) {
    for (const path of [patterns, prefixes]) if (fills(path)) leaveOut(path, regex);
    if (attributes[enabled] === true) builder.leaveOut(enabled);
  } else if (fills(patterns)) {
    if (attributes[enabled] === false) leaveOut(enabled, patterns);
    if (fills(prefixes)) {
      leaveOut(prefixes, patterns);
      builder.leaveOut(patterns);
    }
  }
}
