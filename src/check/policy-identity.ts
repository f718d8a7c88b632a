import type { LiveSource } from '../live/read-live.ts';
import { ifListed } from '../live/read-names.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import type { Configuration } from '../model/configuration.ts';
import { isPlaceholder, type Resource, resourcesOf } from '../model/state.ts';

/**
 * What no alias changes. An undefined value is unknown.
 *
 * @param names absent for a saved plan, which does not contain the names of the service
 */
export function identitiesOf(
  before: Iterable<Resource>,
  after: Iterable<Resource>,
  names: PolicyNames = new Map(),
) {
  const [had, has] = [before, after].map(
    (resources) =>
      new Map(
        resourcesOf(resources, 'project').map(({ id, attributes: { name } }) => [id, name ?? undefined]),
      ),
  );
  return ({ project, team }: Partial<Record<'project' | 'team', string | undefined>>) => {
    const listed = names.get('projects')?.get(project ?? '');
    const projectName = has?.get(project) || listed;
    const was = had?.get(project) || listed;
    return {
      now: {
        projectId: project === undefined || isPlaceholder(project) ? undefined : project,
        projectName,
        teamId: team,
        teamName: names.get('teams')?.get(team ?? ''),
      },
      former: was && was !== projectName ? { projectName: was } : {},
    };
  };
}

type PolicyNames = ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;

const nameFields = { projects: 'projectName', teams: 'teamName' } as const;
const namedKinds = ['projects', 'teams'] as const;

/** The names that the policies use. A kind that the service does not list to the token is unknown. */
export async function readPolicyNames(
  { desired: { organization }, policies = [] }: Configuration,
  source: Pick<LiveSource, 'names'>,
  { bindings = false }: { readonly bindings?: boolean | undefined } = {},
): Promise<PolicyNames> {
  const kinds = namedKinds.filter((kind) => policies.some(({ fields }) => fields.includes(nameFields[kind])));
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const names = await ifListed(source.names(organization, kind, { bindings }));
      return names ? [[kind, new Map(names.map(({ id, name }) => [id, name]))] as const] : [];
    }),
  );
  return new Map(found.flat());
}
