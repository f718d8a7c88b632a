import type { Dialect } from '../../model/dialect.ts';
import type { Route } from '../http/router.ts';
import { moveWorkspacesRoutes } from './move-workspaces.ts';
import { liveLookUpRoutes, lookUpRoutes } from './named-kinds.ts';
import { notificationRoutes } from './notifications.ts';
import { oauthRoutes, writeOauthRoutes } from './oauth.ts';
import { organizationRoutes, writeOrganizationRoutes } from './organizations.ts';
import { projectRoutes, writeProjectRoutes } from './projects.ts';
import { getWorkspace, getWorkspaces } from './read-workspaces.ts';
import { recoverableItemRoutes } from './recoverable-items.ts';
import { deleteConsumers, getConsumers, patchConsumers, postConsumers } from './remote-state-consumers.ts';
import {
  deleteRetention,
  getRetention,
  organizationRetentionRoutes,
  postRetention,
} from './retention-policies.ts';
import { tagBindingRoutes } from './tag-bindings.ts';
import {
  deleteRequestedTeamProject,
  getTeamProject,
  getTeamProjects,
  patchTeamProject,
  postTeamProject,
} from './team-projects.ts';
import {
  deleteRequestedWorkspace,
  patchAssignedSshKey,
  postForceUnlock,
  postLock,
  postSafeDelete,
  postUnlock,
} from './workspace-actions.ts';
import { deleteTags, getTags, organizationTagRoutes, postTags } from './workspace-tags.ts';
import { patchWorkspace, postWorkspace } from './write-workspace.ts';

const byId = '/workspaces/:workspace_id';
const byName = '/organizations/:organization/workspaces/:name';
const related = `${byId}/relationships`;

/** Every endpoint of section 4 of the interface, relative to `/api/v2`. */
export const interfaceRoutes: readonly Route[] = [
  ['POST', '/organizations/:organization/workspaces', postWorkspace],
  ['GET', '/organizations/:organization/workspaces', getWorkspaces],
  ...[byId, byName].flatMap((path): Route[] => [
    ['GET', path, getWorkspace],
    ['PATCH', path, patchWorkspace],
    ['DELETE', path, deleteRequestedWorkspace],
    ['POST', `${path}/actions/safe-delete`, postSafeDelete],
  ]),
  ['POST', `${byId}/actions/lock`, postLock],
  ['POST', `${byId}/actions/unlock`, postUnlock],
  ['POST', `${byId}/actions/force-unlock`, postForceUnlock],
  ['PATCH', `${related}/ssh-key`, patchAssignedSshKey],
  ['GET', `${related}/remote-state-consumers`, getConsumers],
  ['POST', `${related}/remote-state-consumers`, postConsumers],
  ['PATCH', `${related}/remote-state-consumers`, patchConsumers],
  ['DELETE', `${related}/remote-state-consumers`, deleteConsumers],
  ['GET', `${related}/tags`, getTags],
  ['POST', `${related}/tags`, postTags],
  ['DELETE', `${related}/tags`, deleteTags],
  ['GET', `${related}/data-retention-policy`, getRetention],
  ['POST', `${related}/data-retention-policy`, postRetention],
  ['PATCH', `${related}/data-retention-policy`, postRetention],
  ['DELETE', `${related}/data-retention-policy`, deleteRetention],
  ['GET', '/team-projects', getTeamProjects],
  ['GET', '/team-projects/:id', getTeamProject],
  ['POST', '/team-projects', postTeamProject],
  ['PATCH', '/team-projects/:id', patchTeamProject],
  ['DELETE', '/team-projects/:id', deleteRequestedTeamProject],
];

/** Endpoints of the live service only: key-value tags, moves of several workspaces, deleted workspaces, notifications, and writes of objects that workspaces and grants refer to. */
const liveRoutes: readonly Route[] = [
  ...tagBindingRoutes,
  ...liveLookUpRoutes,
  ...organizationTagRoutes,
  ...writeOrganizationRoutes,
  ...organizationRetentionRoutes,
  ...writeProjectRoutes,
  ...moveWorkspacesRoutes,
  ...recoverableItemRoutes,
  ...notificationRoutes,
  ...writeOauthRoutes,
];

/** The routes of a dialect: the interface, the look-ups by name, and those of the live service only. */
export function serviceRoutes(dialect: Dialect): readonly Route[] {
  return [
    ...interfaceRoutes,
    ...organizationRoutes,
    ...projectRoutes,
    ...lookUpRoutes,
    ...oauthRoutes,
    ...(dialect === 'terraform' ? liveRoutes : []),
  ];
}
