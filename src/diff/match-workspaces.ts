import { type Diagnostic, problem, type Severity } from '../model/diagnostic.ts';
import { type DeleteMode, findWorkspace, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { type Comparison, located } from './comparison.ts';

/** The declared and the live workspaces of a plan, matched. */
export interface Matching {
  /** Declared and selected workspaces that are kept or created, by declared name. */
  readonly kept: ReadonlyMap<string, Match>;
  /** Live workspaces to delete, by tombstones or pruning, by live address. */
  readonly deleted: ReadonlyMap<string, Deletion>;
  /** Undeclared live workspaces in scope that are kept. */
  readonly unmanaged: readonly string[];
  /** Number of tombstones whose workspace does not exist. */
  readonly alreadyGone: number;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Match {
  readonly desired: WorkspaceResource;
  /** Absent if the workspace is created. */
  readonly live?: WorkspaceResource;
}

/** A match with the planned state of the workspace. */
export interface PlannedMatch extends Match {
  readonly target: WorkspaceResource;
}

export interface Deletion {
  readonly live: WorkspaceResource;
  readonly mode: DeleteMode;
  readonly desired?: WorkspaceResource;
}

/** Matches declared workspaces with live ones: by name, by `renamed-from`, tombstones and pruning. */
export function matchWorkspaces({ configuration, live, owners, chosen, refusal }: Comparison): Matching {
  const kept = new Map<string, Match>();
  const deleted = new Map<string, Deletion>();
  const diagnostics: Diagnostic[] = [];
  const renamed = new Set<string>();
  let alreadyGone = 0;

  for (const desired of resourcesOf(configuration.desired.resources.values(), 'workspace')) {
    const { renamedFrom, protect, absent } = desired.declared ?? {};
    const current = findWorkspace(live.state, desired.name);
    const former = renamedFrom ? findWorkspace(live.state, renamedFrom) : undefined;
    if (former && !current) renamed.add(former.address);
    if (!chosen(desired.address)) continue;

    if (absent) {
      if (current) deleted.set(current.address, { live: current, mode: absent, desired });
      else alreadyGone += 1;
      continue;
    }
    if (current && former) diagnostics.push(bothLive(desired, renamedFrom ?? ''));
    else if (former && protect) diagnostics.push(protectedRename(desired, renamedFrom ?? '', refusal));
    const match = current ?? former;
    kept.set(desired.name, { desired, ...(match && { live: match }) });
  }

  const unmanaged: string[] = [];
  const missing = missingByLowerCase(kept);
  if (live.scopeWhole) {
    for (const workspace of resourcesOf(live.state.resources.values(), 'workspace')) {
      if (configuration.desired.resources.has(workspace.address)) continue;
      if (renamed.has(workspace.address) || !chosen(workspace.address)) continue;
      const owner = owners.get(workspace.address);
      if (owner === undefined) continue;
      const sameInLowerCase = missing.get(workspace.name.toLowerCase());
      const mode = owner.prunes ? owner.root.prune.workspaces : 'keep';
      if (sameInLowerCase) diagnostics.push(differsInCase(sameInLowerCase, workspace, mode !== 'keep'));
      if (mode === 'keep') unmanaged.push(workspace.address);
      else deleted.set(workspace.address, { live: workspace, mode });
    }
  }
  return { kept, deleted, unmanaged: unmanaged.sort(), alreadyGone, diagnostics };
}

/** Declared workspaces that do not exist, by their name in lower case. */
function missingByLowerCase(kept: Matching['kept']): ReadonlyMap<string, WorkspaceResource> {
  const missing = [...kept.values()].filter(({ live }) => live === undefined);
  return new Map(missing.map(({ desired }) => [desired.name.toLowerCase(), desired]));
}

/** It is not documented whether the service ignores case, so the two names may be one workspace. */
function differsInCase(
  desired: WorkspaceResource,
  { name }: WorkspaceResource,
  isPruned: boolean,
): Diagnostic {
  return problem(
    'differs-in-case',
    `"${desired.name}" is declared, but "${name}" is live${isPruned ? ' and would be pruned' : ''}: to a service that ignores case, both names are one workspace`,
    {
      severity: isPruned ? 'error' : 'warning',
      at: desired,
      hint: `declare it as "${name}", or add \`renamed-from: ${name}\``,
    },
  );
}

function bothLive(desired: WorkspaceResource, former: string): Diagnostic {
  return problem('renamed-from', `"${desired.name}" cannot be renamed from "${former}": both are live`, {
    at: located(desired, 'renamed-from'),
    hint: 'remove renamed-from to manage both, or delete one of them with a tombstone (state: absent)',
  });
}

function protectedRename(desired: WorkspaceResource, former: string, severity: Severity): Diagnostic {
  return problem('protected', `"${former}" would be renamed to "${desired.name}", which is protected`, {
    severity,
    at: located(desired, 'renamed-from'),
  });
}
