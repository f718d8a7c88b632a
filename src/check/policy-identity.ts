import type { Difference } from '../diff/diff.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { type NamedId, NoLookUpError } from '../live/read-names.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import type { Configuration } from '../model/configuration.ts';
import { isPlaceholder, resourcesOf, type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import type { NamesOf } from '../resolve/look-up-names.ts';

/** A project and a team by their ids. The id of a project that the plan creates is a placeholder. */
export interface Ids {
  readonly project?: string | undefined;
  readonly team?: string | undefined;
}

/** What no alias changes. A missing value is unknown. */
interface IdentityData {
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
        ...(projectName && { projectName }),
        ...(teamName !== undefined && { teamName }),
      },
      ...(was && was !== projectName && { former: { projectName: was } }),
    };
  };
  return {
    of,
    ofWorkspace({ id, name, attributes: { project } }) {
      const identity = of({ project });
      const was = formerNames.get(id);
      if (was === undefined || was === name) return identity;
      return { ...identity, former: { ...identity.former, name: was, address: workspaceAddress(was) } };
    },
  };
}

/** A saved plan has ids, and no names of the service. */
export function savedIdentity({ project, team }: Ids): Identity {
  return {
    now: {
      ...(project !== undefined && !isPlaceholder(project) && { projectId: project }),
      ...(team !== undefined && { teamId: team }),
    },
  };
}

/** Names by id, of the kinds that were read. */
export type PolicyNames = ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;

/** The fields of policies that have the names of a kind. */
const nameFields = { projects: 'projectName', teams: 'teamName' } as const;
const namedKinds = ['projects', 'teams'] as const;

export function kindsNamedBy({ policies = [] }: Pick<Configuration, 'policies'>): readonly AliasKind[] {
  return namedKinds.filter((kind) => policies.some(({ fields }) => fields.includes(nameFields[kind])));
}

/** The names that the policies use. A kind that the service does not list to the token is unknown. */
export async function readPolicyNames(
  configuration: Configuration,
  source: Pick<LiveSource, 'names'>,
  { bindings = false }: { readonly bindings?: boolean | undefined },
): Promise<PolicyNames> {
  const { organization } = configuration.desired;
  const found = await readNamesOf(kindsNamedBy(configuration), (kind) =>
    source.names(organization, kind, { bindings }),
  );
  return new Map([...found].map(([kind, names]) => [kind, new Map(names.map(({ id, name }) => [id, name]))]));
}

/** The names of kinds, without those that cannot be listed. */
export async function readNamesOf(
  kinds: Iterable<AliasKind>,
  namesOf: NamesOf,
): Promise<ReadonlyMap<AliasKind, readonly NamedId[]>> {
  const found = await Promise.all(
    [...kinds].map(async (kind) => {
      const names = await namesOf(kind).catch((error: unknown) => {
        if (error instanceof NoLookUpError) return undefined;
        throw error;
      });
      return names ? [[kind, names] as const] : [];
    }),
  );
  return new Map(found.flat());
}
