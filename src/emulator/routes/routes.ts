import type { Dialect } from '../../model/dialect.ts';
import type { Route } from '../http/router.ts';
import { liveLookUpRoutes, lookUpRoutes } from './named-kinds.ts';
import { oauthRoutes, writeOauthRoutes } from './oauth.ts';
import { organizationRoutes, writeOrganizationRoutes } from './organizations.ts';
import { projectRoutes, writeProjectRoutes } from './projects.ts';
import { readWorkspaceRoutes } from './read-workspaces.ts';
import { recoverableItemRoutes } from './recoverable-items.ts';
import { organizationRetentionRoutes, workspaceRetentionRoutes } from './retention-policies.ts';
import { tagBindingRoutes } from './tag-bindings.ts';
import { teamProjectRoutes } from './team-projects.ts';
import { workspaceActionRoutes } from './workspace-actions.ts';
import { consumerRoutes, organizationTagRoutes, workspaceTagRoutes } from './workspace-relations.ts';
import { moveWorkspacesRoutes, writeWorkspaceRoutes } from './write-workspace.ts';

/** Every endpoint of section 4 of the interface, relative to `/api/v2`. */
export const interfaceRoutes: readonly Route[] = [
  ...readWorkspaceRoutes,
  ...writeWorkspaceRoutes,
  ...workspaceActionRoutes,
  ...consumerRoutes,
  ...workspaceTagRoutes,
  ...workspaceRetentionRoutes,
  ...teamProjectRoutes,
];

/** Endpoints of the live service only. */
const liveRoutes: readonly Route[] = [
  ...tagBindingRoutes,
  ...liveLookUpRoutes,
  ...organizationTagRoutes,
  ...writeOrganizationRoutes,
  ...organizationRetentionRoutes,
  ...writeProjectRoutes,
  ...moveWorkspacesRoutes,
  ...recoverableItemRoutes,
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
