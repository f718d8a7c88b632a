import type { Dialect } from '../../model/dialect.ts';
import type { Route } from '../http/router.ts';
import {
  organizationRetentionRoutes,
  removeRetention,
  showRetention,
  writeRetention,
} from './data-retention.ts';
import { lookUpRoutes } from './look-ups.ts';
import { organizationRoutes } from './organizations.ts';
import { getWorkspace, getWorkspaces } from './read-workspaces.ts';
import { addConsumers, listConsumers, removeConsumers, replaceConsumers } from './remote-state-consumers.ts';
import { tagBindingRoutes } from './tag-bindings.ts';
import {
  createTeamProject,
  deleteTeamProject,
  listTeamProjects,
  showTeamProject,
  updateTeamProject,
} from './team-projects.ts';
import {
  forceDeleteWorkspace,
  forceUnlockWorkspace,
  lockWorkspace,
  safeDeleteWorkspace,
  unlockWorkspace,
} from './workspace-actions.ts';
import { addTags, listTags, removeTags } from './workspace-tags.ts';
import { writeAgentPoolRoutes } from './write-agent-pool.ts';
import { writeOauthRoutes } from './write-oauth.ts';
import { writeOrganizationRoutes } from './write-organization.ts';
import { writeProjectRoutes } from './write-project.ts';
import { assignSshKey, writeSshKeyRoutes } from './write-ssh-key.ts';
import { writeTeamRoutes } from './write-team.ts';
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
    ['DELETE', path, forceDeleteWorkspace],
    ['POST', `${path}/actions/safe-delete`, safeDeleteWorkspace],
  ]),
  ['POST', `${byId}/actions/lock`, lockWorkspace],
  ['POST', `${byId}/actions/unlock`, unlockWorkspace],
  ['POST', `${byId}/actions/force-unlock`, forceUnlockWorkspace],
  ['PATCH', `${related}/ssh-key`, assignSshKey],
  ['GET', `${related}/remote-state-consumers`, listConsumers],
  ['POST', `${related}/remote-state-consumers`, addConsumers],
  ['PATCH', `${related}/remote-state-consumers`, replaceConsumers],
  ['DELETE', `${related}/remote-state-consumers`, removeConsumers],
  ['GET', `${related}/tags`, listTags],
  ['POST', `${related}/tags`, addTags],
  ['DELETE', `${related}/tags`, removeTags],
  ['GET', `${related}/data-retention-policy`, showRetention],
  ['POST', `${related}/data-retention-policy`, writeRetention],
  ['PATCH', `${related}/data-retention-policy`, writeRetention],
  ['DELETE', `${related}/data-retention-policy`, removeRetention],
  ['GET', '/team-projects', listTeamProjects],
  ['GET', '/team-projects/:id', showTeamProject],
  ['POST', '/team-projects', createTeamProject],
  ['PATCH', '/team-projects/:id', updateTeamProject],
  ['DELETE', '/team-projects/:id', deleteTeamProject],
];

/** What only the live service has: key-value tags, and writes of what workspaces and grants refer to. */
const liveRoutes: readonly Route[] = [
  ...tagBindingRoutes,
  ...writeOrganizationRoutes,
  ...organizationRetentionRoutes,
  ...writeProjectRoutes,
  ...writeTeamRoutes,
  ...writeSshKeyRoutes,
  ...writeAgentPoolRoutes,
  ...writeOauthRoutes,
];

/** What a dialect answers: the interface, the look-ups by name, and what only the live service has. */
export function serviceRoutes(dialect: Dialect): readonly Route[] {
  return [
    ...interfaceRoutes,
    ...organizationRoutes,
    ...lookUpRoutes,
    ...(dialect === 'terraform' ? liveRoutes : []),
  ];
}
