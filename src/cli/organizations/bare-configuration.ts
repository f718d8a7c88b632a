import { join } from 'node:path';
import type { Configuration } from '../../desired/configuration.ts';

/** The configuration of a run without files: it declares nothing, and says nothing about the service. */
export function bareConfiguration(organization: string, cwd: string): Configuration {
  const none: ReadonlyMap<string, string> = new Map();
  return {
    file: join(cwd, 'attune.yaml'),
    folder: cwd,
    service: {},
    aliases: { projects: none, teams: none, 'ssh-keys': none, 'agent-pools': none, 'vcs-connections': none },
    desired: { organization, resources: new Map() },
    prune: { workspaces: 'keep', teamAccess: false },
    limits: { deletePercent: 100 },
    grantProjects: none,
    lookUps: [],
    diagnostics: [],
  };
}
