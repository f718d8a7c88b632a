import { latestChangeAt } from '../documents/workspace-read-only.ts';
import { reject } from '../http/rejection.ts';
import type { WorkspaceRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

const byTime = {
  'current-run.created-at': (workspace: WorkspaceRecord) => workspace.run?.createdAt ?? '',
  'latest-change-at': latestChangeAt,
} as const;

/** All workspaces of the organization in the order that `sort` asks for; a leading `-` turns it round. */
export function orderedWorkspaces(
  store: Store,
  organization: string,
  sort: string | null,
): WorkspaceRecord[] {
  if (!sort) return store.workspaces.all(organization);
  const [key, reversed] = sort.startsWith('-') ? [sort.slice(1), true] : [sort, false];
  const ordered = ascending(store, organization, key);
  return reversed ? ordered.reverse() : ordered;
}

function ascending(store: Store, organization: string, key: string): WorkspaceRecord[] {
  if (key === 'name') return store.workspaces.sortedByName(organization);
  if (key !== 'current-run.created-at' && key !== 'latest-change-at') {
    throw reject(400, `Invalid sort parameter: ${key}`);
  }
  const time = byTime[key];
  return store.workspaces.all(organization).sort((a, b) => compare(time(a), time(b)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
