import { sameAttribute } from '../diff/normalize.ts';
import { hasRepository } from '../diff/workspace-target.ts';
import { type AttributePath, attributePaths, workspaceAttributes } from '../model/attributes.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { exclusiveTriggers, stateExecution, stateRepository, stateSchedule } from './state-coupled.ts';
import { stateProject, stateRelations } from './state-relations.ts';
import {
  type StateContext,
  type StatedWorkspace,
  type Statement,
  type StatementBuilder,
  type StatementPath,
  writesDefault,
} from './statement.ts';

/** Declares all settings of a live workspace that a file can contain, so that a plan shows no difference. */
export function stateWorkspace(workspace: WorkspaceResource, context: StateContext): StatedWorkspace {
  const statements = new Map<StatementPath, Statement>();
  const unstatable = new Set<StatementPath>();
  const builder: StatementBuilder = {
    ...context,
    workspace,
    state(path, value, isDefault = false) {
      statements.set(path, { value, isDefault: isDefault && !writesDefault(path, context.detail) });
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
  'setting-overwrites.agent-pool',
  'setting-overwrites.execution-mode',
  'vcs-repo.identifier',
  'vcs-repo.oauth-token-id',
  'vcs-repo.vcs-app-installation-id',
]);

function stateAttribute(builder: StatementBuilder, path: AttributePath): void {
  const value = builder.workspace.attributes[path];
  const spec = workspaceAttributes[path];
  if (path.startsWith('vcs-repo.') && !hasRepository(builder.workspace)) return;
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
