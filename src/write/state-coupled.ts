import { hasRepository } from '../diff/workspace-target.ts';
import {
  type AttributePath,
  destroyDuration,
  destroyTime,
  durationPattern,
  executionModes,
  modeFlag,
  poolFlag,
} from '../model/attributes.ts';
import type { StatementBuilder, StatementPath } from './statement.ts';

/**
 * Declares the execution mode with its pool and flags. An inherited mode is not declared, because it would become the
 * workspace's own. Its inheriting flag is declared instead, so that another mode is drift.
 */
export function stateExecution(builder: StatementBuilder): void {
  const { attributes } = builder.workspace;
  const mode = attributes['execution-mode'];
  stateFlag(builder, modeFlag);
  stateFlag(builder, poolFlag);
  // The flag overrides the mode of a layer, and the pool unless that is the workspace's own.
  if (attributes[modeFlag] === false) {
    if (attributes[poolFlag] === true) stateOwnPool(builder);
    return;
  }
  if (mode === 'agent') stateAgent(builder);
  else if (executionModes.some((known) => known === mode)) {
    builder.state('execution-mode', mode ?? null);
    // A pool that a service still returns can be neither declared nor cleared with such a mode.
    if (attributes['agent-pool-id']) builder.leaveOut('agent-pool-id');
    else builder.state('agent-pool-id', null, true);
  } else {
    builder.leaveOut('execution-mode');
    builder.leaveOut('agent-pool-id');
  }
}

/** An own pool beside an inherited mode. The live service requires equal flags. */
function stateOwnPool(builder: StatementBuilder): void {
  const { attributes } = builder.workspace;
  if (builder.live.dialect === 'terraform') {
    const { 'agent-pool-id': pool } = attributes;
    builder.leaveOut(poolFlag);
    builder.leaveOut(
      'agent-pool-id',
      pool ? 'this dialect does not accept it together with an inherited execution-mode' : undefined,
    );
    return;
  }
  const alias = attributes['execution-mode'] === 'agent' ? poolAlias(builder) : undefined;
  if (alias === undefined) builder.leaveOut('agent-pool-id');
  else {
    builder.state(modeFlag, false);
    builder.state(poolFlag, true);
    builder.state('agent-pool-id', alias);
  }
}

function poolAlias({ workspace, aliases }: StatementBuilder): string | undefined {
  const pool = workspace.attributes['agent-pool-id'];
  return typeof pool === 'string' ? aliases.use('agent-pools', pool) : undefined;
}

function stateAgent(builder: StatementBuilder): void {
  const { attributes } = builder.workspace;
  if (attributes[poolFlag] === false) {
    builder.state('execution-mode', 'agent');
    builder.state(poolFlag, false);
    builder.leaveOut('agent-pool-id');
    return;
  }
  const alias = poolAlias(builder);
  if (alias === undefined) {
    builder.leaveOut('execution-mode', 'it is agent, but the service returns no valid pool');
    builder.leaveOut('agent-pool-id');
  } else {
    builder.state('execution-mode', 'agent');
    builder.state('agent-pool-id', alias);
  }
}

/** A flag that is true follows from a declared mode or pool. */
function stateFlag(builder: StatementBuilder, flag: typeof modeFlag | typeof poolFlag): void {
  const value = builder.workspace.attributes[flag];
  if (typeof value === 'boolean') builder.state(flag, value, true);
  else builder.leaveOut(flag);
}

/** Declares the destroy schedule of the workspace itself. With a duration the service computes the time. */
export function stateSchedule(builder: StatementBuilder): void {
  const { attributes } = builder.workspace;
  const at = attributes[destroyTime] || null;
  const duration = attributes[destroyDuration] || null;
  const isKnown = duration === null || durationPattern.test(String(duration));

  if (!isOffered(builder, destroyDuration)) builder.leaveOut(destroyDuration);
  else if (isKnown) builder.state(destroyDuration, duration, duration === null);
  else builder.leaveOut(destroyDuration, 'its form is unknown');

  if (!isOffered(builder, destroyTime) || !isKnown) builder.leaveOut(destroyTime);
  else if (duration !== null) return;
  else if (at !== null && !isTimestamp(String(at))) builder.leaveOut(destroyTime, 'it is not a timestamp');
  else builder.state(destroyTime, at, at === null);
}

/** Some services omit a null member. A member that no workspace has is not supported by the service. */
function isOffered({ live }: StatementBuilder, path: AttributePath): boolean {
  for (const resource of live.state.resources.values())
    if (resource.kind === 'workspace' && resource.attributes[path] !== undefined) return true;
  return false;
}

function isTimestamp(text: string): boolean {
  const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;
  return form.test(text) && !Number.isNaN(Date.parse(text));
}

/** Declares the location of the repository and its connection; its other attributes need no special rules. */
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
  else builder.leaveOut('vcs-repo.oauth-token-id', token && 'its value is not an id of a VCS connection');

  const app = text('vcs-app-installation-id');
  if (app !== undefined && token === undefined) builder.state('vcs-repo.vcs-app-installation-id', app);
  else
    builder.leaveOut('vcs-repo.vcs-app-installation-id', app && 'the repository also has an oauth-token-id');
}

/**
 * The live service accepts one way to start runs, and the language refuses two in its dialect. If a service still
 * returns two, the file contains Git tags rather than files, and patterns rather than the flag that forbids them. Of
 * patterns and prefixes it contains neither, because declaring one clears the other.
 */
export function exclusiveTriggers(builder: StatementBuilder): void {
  if (builder.live.dialect !== 'terraform') return;
  const { attributes } = builder.workspace;
  const fills = (path: StatementPath) => {
    const value = attributes[path];
    return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== '';
  };
  const leaveOut = (path: StatementPath, other: StatementPath) =>
    builder.leaveOut(path, `this dialect does not accept it together with ${other}`);
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
