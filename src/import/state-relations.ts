import type { Live } from '../live/read-live.ts';
import { workspaceNamePattern } from '../model/attributes.ts';
import { isUnmistakableId } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { Stating } from './stating.ts';

export function stateProject(stating: Stating): void {
  const { project } = stating.workspace.attributes;
  if (typeof project !== 'string') {
    stating.leaveOut('project');
    return;
  }
  const alias = stating.aliases.use('projects', project);
  if (alias === undefined) stating.leaveOut('project', `${project} is no id that a file may hold`);
  else stating.say('project', alias);
}

/** Tags, consumers, SSH key, lock, data retention: what has calls of its own. */
export function stateRelations(stating: Stating): void {
  stateTags(stating);
  stateConsumers(stating);
  stateSshKey(stating);
  stateLock(stating);
  stateRetention(stating);
}

function stateTags(stating: Stating): void {
  const { tags } = stating.workspace.attributes;
  const names = Array.isArray(tags) ? tags.map(String).sort() : [];
  if (names.includes('')) stating.leaveOut('tags', 'one of them is empty');
  else stating.say('tags', names, names.length === 0);
}

/** Not known while the state is shared with all. */
function stateConsumers(stating: Stating): void {
  const consumers = stating.workspace.attributes['remote-state-consumers'];
  if (!Array.isArray(consumers)) {
    stating.leaveOut('remote-state-consumers');
    return;
  }
  const names = consumers.map((id) => consumerName(String(id), stating.live)).sort();
  stating.say('remote-state-consumers', names, names.length === 0);
}

/** By name; by id where the name is none that a file may hold, or would be taken for an id. */
function consumerName(id: string, { names }: Live): string {
  const name = names.get(id);
  return name !== undefined && workspaceNamePattern.test(name) && !isUnmistakableId(name) ? name : id;
}

function stateSshKey(stating: Stating): void {
  const key = stating.workspace.attributes['ssh-key'];
  const alias = typeof key === 'string' ? stating.aliases.use('ssh-keys', key) : null;
  if (alias === undefined) stating.leaveOut('ssh-key', `${key} is no id that a file may hold`);
  else stating.say('ssh-key', alias, alias === null);
}

function stateLock(stating: Stating): void {
  const { lock } = stating.workspace.attributes;
  const { locked, reason, by } = (isRecord(lock) ? lock : {}) as Readonly<Record<string, Value | undefined>>;
  if (locked !== true) stating.say('lock', false, true);
  else if (typeof by === 'string' && by.startsWith('run-'))
    stating.leaveOut('lock', 'a run holds it, and lets go of it at its end');
  else stating.say('lock', typeof reason === 'string' ? { reason } : true);
}

function stateRetention(stating: Stating): void {
  const retention = stating.workspace.attributes['data-retention'];
  if (retention === undefined) stating.leaveOut('data-retention');
  else if (isRecord(retention) && !isPolicy(retention))
    stating.leaveOut('data-retention', 'the language has no such policy');
  else stating.say('data-retention', retention, retention === null);
}

function isPolicy(retention: Readonly<Record<string, unknown>>): boolean {
  const days = retention['delete-older-than-days'];
  return retention['dont-delete'] === true || (Number.isInteger(days) && Number(days) >= 1);
}
