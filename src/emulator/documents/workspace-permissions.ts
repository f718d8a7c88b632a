import type { Caller } from '../callers.ts';
import { mayForceDelete, workspaceAccess } from '../callers.ts';
import type { OrganizationRecord, WorkspaceRecord } from '../store/records.ts';

/** The least that a caller needs for each entry of a workspace's `permissions` (interface, section 2.1). */
const needs = {
  'can-update': 'admin',
  'can-destroy': 'admin',
  'can-queue-run': 'admin',
  'can-read-run': 'read',
  'can-read-variable': 'read',
  'can-update-variable': 'admin',
  'can-read-state-versions': 'read',
  'can-read-state-outputs': 'read',
  'can-create-state-versions': 'admin',
  'can-queue-apply': 'admin',
  'can-lock': 'admin',
  'can-unlock': 'admin',
  'can-force-unlock': 'admin',
  'can-read-settings': 'read',
  'can-manage-tags': 'admin',
  'can-manage-run-tasks': 'admin',
  'can-force-delete': 'force-delete',
  'can-manage-assessments': 'admin',
  'can-manage-ephemeral-workspaces': 'admin',
  'can-read-assessment-results': 'read',
  'can-queue-destroy': 'admin',
} as const;

/** The block as text, since it is the one part of a document that depends on who asks. */
export function permissionsJson(
  caller: Caller,
  workspace: WorkspaceRecord,
  organization: OrganizationRecord | undefined,
): string {
  const admin = workspaceAccess(caller, workspace) === 'admin';
  const forceDelete = mayForceDelete(caller, workspace, organization);
  return forceDelete ? everything : admin ? withoutForceDelete : readOnly;
}

function block(admin: boolean, forceDelete: boolean): string {
  const granted = { read: true, admin, 'force-delete': forceDelete };
  return JSON.stringify(
    Object.fromEntries(Object.entries(needs).map(([permission, need]) => [permission, granted[need]])),
  );
}

const everything = block(true, true);
const withoutForceDelete = block(true, false);
const readOnly = block(false, false);
