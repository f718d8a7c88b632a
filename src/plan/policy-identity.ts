import type { Difference } from '../diff/diff.ts';
import type { Live } from '../live/read-live.ts';
import { resourcesOf, type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import type { PolicyNames } from './policy-names.ts';

/** A project and a team by their ids. The id of a project that the plan creates is a placeholder. */
export interface Ids {
  readonly project?: string | undefined;
  readonly team?: string | undefined;
}

/** What no alias changes. A missing value is unknown. */
export interface IdentityData {
  readonly projectId?: string;
  readonly projectName?: string;
  readonly teamId?: string;
  readonly teamName?: string;
}

export interface Identity {
  readonly now: IdentityData;
  /** The names before the plan, if it changes one of them. */
  readonly former?: IdentityData & { readonly name?: string | undefined; readonly address?: string };
}

/** The identity of resources, resolved from the service. */
export interface Identities {
  readonly of: (ids: Ids) => Identity;
  readonly ofWorkspace: (workspace: WorkspaceResource) => Identity;
}

interface State {
  readonly names?: PolicyNames;
  readonly live: Pick<Live, 'state'>;
  readonly difference: Pick<Difference, 'after'>;
}

export function identitiesOf({ names, live, difference }: State): Identities {
  const before = new Map(
    resourcesOf(live.state.resources.values(), 'project').map(({ id, attributes }) => [id, attributes.name]),
  );
  const after = new Map(
    resourcesOf(difference.after, 'project').map(({ id, attributes }) => [id, attributes.name]),
  );
  const formerNames = new Map(
    resourcesOf(live.state.resources.values(), 'workspace').map(({ id, name }) => [id, name]),
  );
  const of = (ids: Ids): Identity => {
    const { project, team } = ids;
    const { now } = savedIdentity(ids);
    const listed = names?.get('projects')?.get(project ?? '');
    const projectName = after.get(project) ?? listed;
    const teamName = names?.get('teams')?.get(team ?? '');
    const was = before.get(project) ?? listed;
    return {
      now: {
        ...now,
        ...(project !== undefined && projectName && { projectName }),
        ...(teamName !== undefined && { teamName }),
      },
      ...(project !== undefined && was && was !== projectName && { former: { projectName: was } }),
    };
  };
  return {
    of,
    ofWorkspace({ id, name, attributes: { project } }) {
      const identity = of({ project });
      const was = id === undefined ? undefined : formerNames.get(id);
      if (was === undefined || was === name) return identity;
      return { ...identity, former: { ...identity.former, name: was, address: workspaceAddress(was) } };
    },
  };
}

/** A saved plan has ids, and no names of the service. */
export function savedIdentity({ project, team }: Ids): Identity {
  return {
    now: {
      ...(project !== undefined && !project.startsWith('{') && { projectId: project }),
      ...(team !== undefined && { teamId: team }),
    },
  };
}
