import { areDeclarable } from '../desired/tag-bindings.ts';
import type { Live } from '../live/read-live.ts';
import { type WorkspaceRelation, workspaceNamePattern } from '../model/attributes.ts';
import { isUnmistakableId } from '../model/state.ts';
import { asBindings } from '../model/tag-bindings.ts';
import { isRecord, type Value } from '../model/value.ts';
import { relations } from '../relations/relations.ts';
import type { StatementBuilder } from './statement.ts';

export function stateProject(builder: StatementBuilder): void {
  const { project } = builder.workspace.attributes;
  if (typeof project !== 'string') {
    builder.leaveOut('project');
    return;
  }
  const alias = builder.aliases.use('projects', project);
  if (alias === undefined) builder.leaveOut('project', `${project} is not a valid id`);
  else builder.state('project', alias);
}

/** Declares the settings with separate calls. */
export function stateRelations(builder: StatementBuilder): void {
  stateTags(builder);
  stateBindings(builder);
  stateConsumers(builder);
  stateSshKey(builder);
  stateLock(builder);
  stateValue('data-retention', builder);
}

function stateTags(builder: StatementBuilder): void {
  const { tags } = builder.workspace.attributes;
  const names = Array.isArray(tags) ? tags.map(String).sort() : [];
  if (names.includes('')) builder.leaveOut('tags', 'one of them is empty');
  else builder.state('tags', names, names.length === 0);
}

/** Its own, never those that it inherits of its project. Not known if the service does not send them. */
function stateBindings(builder: StatementBuilder): void {
  const bindings = asBindings(builder.workspace.attributes['tag-bindings']);
  if (bindings === undefined) builder.leaveOut('tag-bindings');
  else if (!areDeclarable(bindings)) builder.leaveOut('tag-bindings', undeclarableBindings);
  else builder.state('tag-bindings', bindings, Object.keys(bindings).length === 0);
}

export const undeclarableBindings = 'the service no longer accepts such keys or values';

/** Unknown while the state is shared with all. */
function stateConsumers(builder: StatementBuilder): void {
  const consumers = builder.workspace.attributes['remote-state-consumers'];
  if (!Array.isArray(consumers)) {
    builder.leaveOut('remote-state-consumers');
    return;
  }
  const names = consumers.map((id) => consumerName(String(id), builder.live)).sort();
  builder.state('remote-state-consumers', names, names.length === 0);
}

/** By name; by id if the name is not valid in a file, or would be read as an id. */
function consumerName(id: string, { names }: Live): string {
  const name = names.get(id);
  return name !== undefined && workspaceNamePattern.test(name) && !isUnmistakableId(name) ? name : id;
}

function stateSshKey(builder: StatementBuilder): void {
  const key = builder.workspace.attributes['ssh-key'];
  const alias = typeof key === 'string' ? builder.aliases.use('ssh-keys', key) : null;
  if (alias === undefined) builder.leaveOut('ssh-key', `${key} is not a valid id`);
  else builder.state('ssh-key', alias, alias === null);
}

function stateLock(builder: StatementBuilder): void {
  const { lock } = builder.workspace.attributes;
  const { locked, reason, by } = (isRecord(lock) ? lock : {}) as Readonly<Record<string, Value | undefined>>;
  if (locked !== true) builder.state('lock', false, true);
  else if (typeof by === 'string' && by.startsWith('run-'))
    builder.leaveOut('lock', 'a run holds it until it ends');
  else builder.state('lock', typeof reason === 'string' ? { reason } : true);
}

/** Declares a relation whose value is the same in a file. */
function stateValue(path: WorkspaceRelation, builder: StatementBuilder): void {
  const value = builder.workspace.attributes[path];
  const reason = value === undefined ? undefined : relations[path].undeclarable?.(value);
  if (value === undefined || reason !== undefined) builder.leaveOut(path, reason);
  else builder.state(path, value, value === null);
}
