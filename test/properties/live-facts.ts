import { asResourceObject, type ResourceObject, relatedId } from '../../src/service/documents.ts';
import { sendTo } from '../support/ask.ts';

/** What guards are about, as the service has it. */
export interface LiveFacts {
  readonly workspaces: readonly {
    readonly id: string;
    readonly name: string;
    readonly attributes: { readonly project: string; readonly tags: readonly string[] };
  }[];
  /** Ids. */
  readonly projects: ReadonlySet<string>;
  /** The teams with `admin` on a project, by id. */
  admins(project: string): readonly string[];
}

export async function liveFacts(url: string): Promise<LiveFacts> {
  const list = async (path: string): Promise<ResourceObject[]> => {
    const data: readonly unknown[] = await sendTo({ url }, 'GET', path);
    return data.flatMap((item) => asResourceObject(item) ?? []);
  };
  const projects = new Set(
    (await list('/organizations/acme/projects?page%5Bsize%5D=100')).map(({ id }) => id),
  );
  const admins = new Map<string, readonly string[]>();
  for (const project of projects) {
    const grants = await list(`/team-projects?filter%5Bproject%5D%5Bid%5D=${project}`);
    admins.set(
      project,
      grants.flatMap((grant) =>
        grant.attributes.access === 'admin' ? (relatedId(grant, 'team') ?? []) : [],
      ),
    );
  }
  const workspaces = (await list('/organizations/acme/workspaces?page%5Bsize%5D=100')).map((workspace) => ({
    id: workspace.id,
    name: String(workspace.attributes.name),
    attributes: {
      project: relatedId(workspace, 'project') ?? '',
      tags: workspace.attributes['tag-names'] as readonly string[],
    },
  }));
  return { workspaces, projects, admins: (project) => admins.get(project) ?? [] };
}
