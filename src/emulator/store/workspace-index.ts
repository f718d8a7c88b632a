import type { StoredWorkspace } from './records.ts';

interface OrganizationIndex {
  readonly byId: Map<string, StoredWorkspace>;
  readonly byName: Map<string, StoredWorkspace>;
  /** The ids of the workspaces with each tag. */
  readonly byTag: Map<string, Set<string>>;
  /** Sorted names, until a workspace is added or removed. */
  sortedNames: readonly string[] | undefined;
}

/** Finds an organization's workspaces by name and by tag without a scan. */
export class WorkspaceIndex {
  readonly #organizations = new Map<string, OrganizationIndex>();

  byName(organization: string, name: string): StoredWorkspace | undefined {
    return this.#organizations.get(organization)?.byName.get(name);
  }

  /** In the order of their creation; the service's order is arbitrary but stable. */
  all(organization: string): StoredWorkspace[] {
    return [...(this.#organizations.get(organization)?.byId.values() ?? [])];
  }

  sortedByName(organization: string): StoredWorkspace[] {
    const index = this.#organizations.get(organization);
    if (!index) return [];
    index.sortedNames ??= [...index.byName.keys()].sort();
    const sorted: StoredWorkspace[] = [];
    for (const name of index.sortedNames) {
      const record = index.byName.get(name);
      if (record) sorted.push(record);
    }
    return sorted;
  }

  tagged(organization: string, tag: string): ReadonlySet<string> {
    return this.#organizations.get(organization)?.byTag.get(tag) ?? new Set();
  }

  replace(before: StoredWorkspace | undefined, after: StoredWorkspace | undefined): void {
    const organization = (after ?? before)?.organization;
    if (organization === undefined) return;
    const index = this.#index(organization);
    if (before?.name !== after?.name) index.sortedNames = undefined;
    if (before && before.name !== after?.name) index.byName.delete(before.name);
    if (before && !after) index.byId.delete(before.id);
    if (after) {
      index.byName.set(after.name, after);
      index.byId.set(after.id, after);
    }
    if (before?.tags !== after?.tags) this.#replaceTags(index, before, after);
  }

  #replaceTags(
    index: OrganizationIndex,
    before: StoredWorkspace | undefined,
    after: StoredWorkspace | undefined,
  ): void {
    for (const tag of before?.tags ?? []) {
      const carriers = index.byTag.get(tag);
      carriers?.delete(before?.id ?? '');
      if (carriers?.size === 0) index.byTag.delete(tag);
    }
    if (!after) return;
    for (const tag of after.tags) {
      const carriers = index.byTag.get(tag) ?? new Set();
      carriers.add(after.id);
      index.byTag.set(tag, carriers);
    }
  }

  #index(organization: string): OrganizationIndex {
    let index = this.#organizations.get(organization);
    if (!index) {
      index = { byId: new Map(), byName: new Map(), byTag: new Map(), sortedNames: undefined };
      this.#organizations.set(organization, index);
    }
    return index;
  }
}
