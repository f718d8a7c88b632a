import { areDeclarable } from '../desired/tag-bindings.ts';
import { sameAttribute } from '../diff/normalize.ts';
import { hasRepository } from '../diff/workspace-target.ts';
import type { Live } from '../live/read-live.ts';
import {
  type AttributePath,
  attributePaths,
  isRepositoryPath,
  modeFlag,
  poolFlag,
  type WorkspaceRelation,
  workspaceAttributes,
  workspaceNamePattern,
} from '../model/attributes.ts';
import { isUnmistakableId, type WorkspaceResource } from '../model/state.ts';
import { asBindings } from '../model/tag-bindings.ts';
import { isRecord, type Value } from '../model/value.ts';
import { relations } from '../relations/relations.ts';
import { exclusiveTriggers, stateExecution, stateRepository, stateSchedule } from './state-coupled.ts';
import {
  type StateContext,
  type StatedWorkspace,
  type Statement,
  type StatementBuilder,
  type StatementPath,
  undeclarableBindings,
} from './statement.ts';

/** Declares all settings of a live workspace that a file can contain, so that a plan shows no difference. */
export function stateWorkspace(workspace: WorkspaceResource, context: StateContext): StatedWorkspace {
  const statements = new Map<StatementPath, Statement>();
  const unstatable = new Set<StatementPath>();
  const builder: StatementBuilder = {
    ...context,
    workspace,
    state(path, value, isDefault = false) {
      statements.set(path, { value, isDefault });
    },
    leaveOut(path, reason) {
      statements.delete(path);
      unstatable.add(path);
      if (reason !== undefined) context.notices.add(workspace.address, `${path} is left out: ${reason}`);
    },
  };
  stateProject(builder);
  for (const path of attributePaths) if (!statedElsewhere.has(path)) stateAttribute(builder, path);
  stateExecution(builder);
  stateRepository(builder);
  stateSchedule(builder);
  exclusiveTriggers(builder);
  stateRelations(builder);
  return { name: workspace.name, statements, unstatable };
}

/** Attributes that depend on others, and one that mirrors another. */
const statedElsewhere: ReadonlySet<AttributePath> = new Set([
  'agent-pool-id',
  'auto-destroy-activity-duration',
  'auto-destroy-at',
  'execution-mode',
  'operations',
  poolFlag,
  modeFlag,
  'vcs-repo.identifier',
  'vcs-repo.oauth-token-id',
  'vcs-repo.vcs-app-installation-id',
]);

function stateAttribute(builder: StatementBuilder, path: AttributePath): void {
  const value = builder.workspace.attributes[path];
  const spec = workspaceAttributes[path];
  if (isRepositoryPath(path) && !hasRepository(builder.workspace)) return;
  if (value === undefined || value === null || value === '') {
    if (spec.nullable) builder.state(path, null, true);
    else builder.leaveOut(path);
  } else if (Array.isArray(value)) {
    if (value.includes('')) builder.leaveOut(path, 'the list has an empty entry');
    else builder.state(path, value.map(String).sort(), value.length === 0);
  } else {
    // A create-only attribute has no effect on an existing workspace.
    builder.state(path, value, spec.createOnly === true || sameAttribute(path, value, spec.default));
  }
}

function stateProject(builder: StatementBuilder): void {
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
function stateRelations(builder: StatementBuilder): void {
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
