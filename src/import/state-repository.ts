import { hasRepository } from '../diff/workspace-target.ts';
import type { Stating } from './stating.ts';

/** Where the repository is and how the service gets at it; what else belongs to it are attributes like others. */
export function stateRepository(stating: Stating): void {
  const { workspace, aliases } = stating;
  if (!hasRepository(workspace)) {
    stating.say('vcs-repo', null, true);
    return;
  }
  const text = (key: string) => {
    const value = workspace.attributes[`vcs-repo.${key}`];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const identifier = text('identifier');
  if (identifier === undefined) stating.leaveOut('vcs-repo.identifier');
  else stating.say('vcs-repo.identifier', identifier);

  const token = text('oauth-token-id');
  const connection = token === undefined ? undefined : aliases.use('vcs-connections', token);
  if (connection !== undefined) stating.say('vcs-repo.oauth-token-id', connection);
  else stating.leaveOut('vcs-repo.oauth-token-id', token && 'its value is no id of a VCS connection');

  const app = text('vcs-app-installation-id');
  if (app !== undefined && token === undefined) stating.say('vcs-repo.vcs-app-installation-id', app);
  else
    stating.leaveOut('vcs-repo.vcs-app-installation-id', app && 'the repository has an oauth-token-id too');
}
