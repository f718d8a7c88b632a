import { sameAttribute } from '../diff/normalize.ts';
import { hasRepository } from '../diff/workspace-target.ts';
import { type AttributePath, attributePaths, workspaceAttributes } from '../model/attributes.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { stateExecution } from './state-execution.ts';
import { stateProject, stateRelations } from './state-relations.ts';
import { stateRepository } from './state-repository.ts';
import { stateSchedule } from './state-schedule.ts';
import { exclusiveTriggers } from './state-triggers.ts';
import type { StatedWorkspace, Statement, StatementPath } from './statement.ts';
import type { Stating, StatingContext } from './stating.ts';

/** Says all of a live workspace that a file can say, so that nothing of it differs from the live one. */
export function stateWorkspace(workspace: WorkspaceResource, context: StatingContext): StatedWorkspace {
  const statements = new Map<StatementPath, Statement>();
  const unstatable = new Set<StatementPath>();
  const stating: Stating = {
    ...context,
    workspace,
    say(path, value, isDefault = false) {
      statements.set(path, { value, isDefault: isDefault && !context.all });
    },
    leaveOut(path, reason) {
      statements.delete(path);
      unstatable.add(path);
      if (reason !== undefined) context.notices.add(workspace.address, `${path} is left out: ${reason}`);
    },
  };
  stateProject(stating);
  for (const path of attributePaths) if (!settledElsewhere.has(path)) stateAttribute(stating, path);
  stateExecution(stating);
  stateRepository(stating);
  stateSchedule(stating);
  exclusiveTriggers(stating);
  stateRelations(stating);
  return { name: workspace.name, statements, unstatable };
}

/** Attributes that hang together with others, and one that mirrors another. */
const settledElsewhere: ReadonlySet<AttributePath> = new Set([
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

function stateAttribute(stating: Stating, path: AttributePath): void {
  const value = stating.workspace.attributes[path];
  const spec = workspaceAttributes[path];
  if (path.startsWith('vcs-repo.') && !hasRepository(stating.workspace)) return;
  if (value === undefined || value === null || value === '') {
    if (spec.nullable) stating.say(path, null, true);
    else stating.leaveOut(path);
  } else if (Array.isArray(value)) {
    if (value.includes('')) stating.leaveOut(path, 'the list has an empty entry');
    else stating.say(path, value.map(String).sort(), value.length === 0);
  } else {
    // What is sent on create only is of no use to a workspace that is there.
    stating.say(path, value, spec.createOnly === true || sameAttribute(path, value, spec.default));
  }
}
