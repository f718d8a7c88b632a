import type { AccessLevel } from '../model/permissions.ts';
import type { Value } from '../model/value.ts';
import { relatedId } from '../service/documents.ts';
import { pathTo, requestTo } from '../service/endpoints.ts';
import { grantsOf } from '../service/paging.ts';
import { NetworkError } from '../service/service-error.ts';
import type { PageQuery, ResourcePage, ServiceResource } from './resource.ts';
import type { Wire } from './wire.ts';

/** What a team may do with a project itself. */
export interface ProjectPermissions {
  /** @default 'read' */
  readonly settings?: 'read' | 'update' | 'delete';
  /** @default 'none' */
  readonly teams?: 'none' | 'read' | 'manage';
  /** `terraform` dialect only. @default 'none' */
  readonly 'variable-sets'?: 'none' | 'read' | 'write';
}

/** What a team may do with the workspaces of a project. */
export interface WorkspacePermissions {
  /** @default 'read' */
  readonly runs?: 'read' | 'plan' | 'apply';
  /** @default 'none' */
  readonly 'policy-mocks'?: 'none' | 'read';
  /** @default 'none' */
  readonly 'state-versions'?: 'none' | 'read-outputs' | 'read' | 'write';
  /** @default 'none' */
  readonly variables?: 'none' | 'read' | 'write';
  /** @default false */
  readonly create?: boolean;
  /** @default false */
  readonly locking?: boolean;
  /** @default false */
  readonly delete?: boolean;
  /** @default false */
  readonly move?: boolean;
  /** @default false */
  readonly 'run-tasks'?: boolean;
  /** `terraform` dialect only. @default false */
  readonly 'policy-overrides'?: boolean;
}

/** An access level. Single permissions are returned only under `custom`; other levels imply them. */
export interface TeamProjectAttributes {
  readonly access: AccessLevel;
  readonly 'project-access'?: ProjectPermissions;
  readonly 'workspace-access'?: WorkspacePermissions;
}

/** A team's access to a project (interface, section 2.4). */
export interface TeamProjectDocument
  extends ServiceResource<'team-projects', TeamProjectAttributes, 'project' | 'team'> {}

/** The project, the team and the access of a new grant. */
export interface NewTeamProject extends TeamProjectAttributes {
  /** The id of the project. */
  readonly project: string;
  /** The id of the team. */
  readonly team: string;
}

/** Access of teams to projects (interface, section 4.9). */
export interface TeamProjectEndpoints {
  /**
   * Reads all grants of a project, as far as the token may see the teams.
   *
   * @param project - The project's id.
   * @throws {@link ServiceError} 404 where the project does not exist, or the token may not see it.
   * @example
   * ```ts
   * const grants = await service.teamProjects.list('prj-payments');
   * console.log(grants.map(({ attributes }) => attributes.access)); // [ 'read' ]
   * ```
   */
  list(project: string): Promise<readonly TeamProjectDocument[]>;

  /**
   * Reads one page of them.
   *
   * @example
   * ```ts
   * const { items, totalCount } = await service.teamProjects.page('prj-payments', { size: 20 });
   * console.log(items.length, totalCount); // 1 1
   * ```
   */
  page(project: string, page?: PageQuery): Promise<ResourcePage<TeamProjectDocument>>;

  /**
   * Reads one grant.
   *
   * @param id - As in `tprj-...`; it changes when a grant is created again.
   * @throws {@link ServiceError} 404 where it does not exist, or the token may not see it.
   * @example
   * ```ts
   * const [first] = await service.teamProjects.list('prj-payments');
   * const grant = await service.teamProjects.show(first?.id ?? '');
   * console.log(grant.relationships.team?.data); // { id: 'team-developers', type: 'teams' }
   * ```
   */
  show(id: string): Promise<TeamProjectDocument>;

  /**
   * Grants a team access to a project. It is not sent again if its response is lost: list the project's grants.
   *
   * @throws {@link ServiceError} 404 where the project or the team does not exist; 422 where the team has access already,
   * or permissions are given with another level than `custom`.
   * @example
   * ```ts
   * const grant = await service.teamProjects.create({
   *   project: 'prj-payments',
   *   team: 'team-sre',
   *   access: 'custom',
   *   'workspace-access': { runs: 'apply', locking: true },
   * });
   * console.log(grant.attributes['workspace-access']?.variables); // none
   * ```
   */
  create(grant: NewTeamProject): Promise<TeamProjectDocument>;

  /**
   * Changes the given values. An omitted permission keeps its value if the level was `custom` before.
   *
   * @throws {@link ServiceError} 404 where it does not exist; 422 where a value is refused.
   * @example
   * ```ts
   * const [grant] = await service.teamProjects.list('prj-payments');
   * const updated = await service.teamProjects.update(grant?.id ?? '', { access: 'write' });
   * console.log(updated.attributes['workspace-access']?.runs); // apply
   * ```
   */
  update(id: string, changes: Partial<TeamProjectAttributes>): Promise<TeamProjectDocument>;

  /**
   * Revokes a team's access to a project.
   *
   * @throws {@link ServiceError} 404 where it does not exist, or the token may not.
   * @example
   * ```ts
   * for (const grant of await service.teamProjects.list('prj-payments')) {
   *   await service.teamProjects.delete(grant.id);
   * }
   * ```
   */
  delete(id: string): Promise<void>;
}

export function teamProjectEndpoints(wire: Wire): TeamProjectEndpoints {
  const show = async (id: string) => wire.show<TeamProjectDocument>(pathTo('showTeamProject', { id }));
  const list = async (project: string) => wire.list<TeamProjectDocument>(grantsOf(project));
  return {
    list,
    page: async (project, page) => wire.page(grantsOf(project), page),
    show,
    create: async ({ project, team, ...access }) => {
      const call = requestTo('createTeamProject', {}, createBody(project, team, wire.spelled(access)));
      return wire.write(call, async () => {
        const grant = (await list(project)).find((candidate) => relatedId(candidate, 'team') === team);
        if (grant) return grant;
        throw new NetworkError(call, 'the response has no document, and the project lists no such grant');
      });
    },
    update: async (id, changes) => {
      const body = { data: { id, type: 'team-projects', attributes: wire.spelled(changes) } };
      return wire.write(requestTo('updateTeamProject', { id }, body), () => show(id), { repeatable: true });
    },
    delete: async (id) => wire.send(requestTo('deleteTeamProject', { id })),
  };
}

function createBody(project: string, team: string, attributes: Value): Value {
  return {
    data: {
      type: 'team-projects',
      attributes,
      relationships: {
        project: { data: { type: 'projects', id: project } },
        team: { data: { type: 'teams', id: team } },
      },
    },
  };
}
