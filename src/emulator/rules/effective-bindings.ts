import { identifier } from '../store/identifiers.ts';
import type { ProjectRecord, WorkspaceRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** A key-value tag as it takes effect on a workspace or project. */
export interface EffectiveBinding {
  readonly id: string;
  readonly key: string;
  readonly value: string | null;
  /** The project that it comes from; undefined for one of its own. */
  readonly inheritedFrom?: string;
}

/** The bindings of the workspace or project itself. */
export function ownBindings(record: WorkspaceRecord | ProjectRecord): EffectiveBinding[] {
  return Object.entries(record.bindings ?? {}).map(([key, value]) => ({
    id: identifier('tb', `${record.id}/${key}`, 0),
    key,
    value,
  }));
}

/** A workspace has its project's bindings too, but for the keys that it overrides. */
export function effectiveBindings(store: Store, workspace: WorkspaceRecord): EffectiveBinding[] {
  const project = store.get('projects', workspace.project);
  const inherited = (project ? ownBindings(project) : [])
    .filter(({ key }) => !Object.hasOwn(workspace.bindings, key))
    .map((binding) => ({ ...binding, inheritedFrom: workspace.project }));
  return [...ownBindings(workspace), ...inherited];
}
