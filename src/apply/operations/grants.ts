import { accessFacts } from '../../live/access-facts.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { changesOf } from '../../model/change.ts';
import type { Dialect } from '../../model/dialect.ts';
import { permissionPathsOf, permissions } from '../../model/permissions.ts';
import { type PlannedChange, sentChanges, type Written } from '../../model/plan.ts';
import type { Value, Values } from '../../model/value.ts';
import { adminMovement, deletedProjects } from '../../plan/keep-admin.ts';
import type { ServiceReader } from '../../service/client.ts';
import { asResourceObject, type Document, type ResourceObject, relatedId } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { grantsOf, readList } from '../../service/paging.ts';
import { permissionsFromWire } from '../../service/wire-codec.ts';
import { readGrant } from '../present-values.ts';
import { answeredPairs, type Pair } from './compare-answer.ts';
import { deleteOnce } from './delete-workspace.ts';
import {
  type OperationHandler,
  pickFacts,
  recheckFacts,
  type SendContext,
  sendRepeatable,
} from './operation.ts';

/** Shared by the creation and the update of a grant: one document with the level and its permissions. */
const grantValues = answeredPairs(({ written }, { data }, dialect) => {
  const answered = asResourceObject(data);
  return answered ? valuePairs(written, answered, dialect) : [];
});

export const createGrant: OperationHandler = {
  ...grantValues,
  send: ({ call, written }, { send, reader }) => send(call, { lookUp: () => createdGrant(written, reader) }),
};

export const updateGrant: OperationHandler = {
  ...grantValues,
  /** Rechecks permissions that are sent only because another one is. */
  async recheck(prepared, context) {
    const { written, change } = prepared;
    const differs = new Set(change.fields.map(({ path }) => path));
    await recheckFacts(prepared, context, {
      facts: pickFacts(
        change.facts ?? {},
        Object.keys(written.values).filter((path) => !differs.has(path)),
      ),
      read: () => readGrant(prepared, context),
    });
    await context.checkAdmins?.(change);
  },
  send: sendRepeatable,
  read: readGrant,
};

export const deleteGrant: OperationHandler = {
  async recheck(prepared, context) {
    const { exists: _exists, project: _project, team: _team, ...access } = prepared.change.facts ?? {};
    await recheckFacts(prepared, context, { facts: access, read: () => readGrant(prepared, context) });
    await context.checkAdmins?.(prepared.change);
  },
  send: ({ call, id }, context) => deleteOnce(call, pathTo('showTeamProject', { id }), context),
};

/** The grant that the team now has on the project. */
async function createdGrant(
  { values: { project, team } }: Written,
  reader: ServiceReader,
): Promise<{ document: Document } | undefined> {
  const grants = await readList(reader, grantsOf(String(project)));
  const found = grants.find((grant) => relatedId(grant, 'team') === team);
  return found && { document: { data: found } };
}

/** A permission that is not returned has its default (interface, section 2.4). */
function valuePairs({ values }: Written, answered: ResourceObject, dialect: Dialect): Pair[] {
  const { access, ...sent } = values;
  const got: Values = permissionsFromWire(answered.attributes, dialect, answered.id);
  return [
    ['access', access, answered.attributes.access as Value | undefined],
    ...permissionPathsOf(dialect)
      .filter((path) => sent[path] !== undefined)
      .map((path): Pair => {
        const isDefault = sent[path] === permissions[path].customDefault;
        return [path, sent[path], got[path] ?? (isDefault ? sent[path] : undefined)];
      }),
  ];
}

/**
 * A check before a call that takes `admin` from a team of `guards.keep-admin`: another user can have revoked the other
 * admins since the plan. What the run itself does counts as done, because its calls have no order among projects.
 *
 * @param changes those of all plans of the run
 * @param guardsOf the ids of the teams of each guard of the run that covers a project
 */
export function adminCheck(
  changes: readonly PlannedChange[],
  guardsOf: (project: string) => readonly ReadonlySet<string>[],
  { reader, organization }: Pick<SendContext, 'reader' | 'organization'>,
): (change: PlannedChange) => Promise<void> {
  const sent = sentChanges(changes);
  const movements = changesOf(sent, 'team-access').map(adminMovement);
  const gone = deletedProjects(sent);
  const access = accessFacts(reader);
  return async (change) => {
    const own = adminMovement(change);
    if (!own.wasAdmin || own.isAdmin || gone.has(own.project)) return;
    const concerned = guardsOf(own.project).filter((teams) => teams.has(own.team));
    if (concerned.length === 0) return;
    const grants = await readList(reader, grantsOf(own.project));
    const admins = new Set(
      grants.flatMap((grant) =>
        grant.attributes.access === 'admin' ? (relatedId(grant, 'team') ?? []) : [],
      ),
    );
    for (const { project, team, isAdmin } of movements) {
      if (project !== own.project) continue;
      if (isAdmin) admins.add(team);
      else admins.delete(team);
    }
    const failing = concerned.filter((teams) => ![...teams].some((team) => admins.has(team)));
    if (failing.length === 0) return;
    const all = await access.teams(organization);
    const isAdminOfAll = (team: string) => all?.some((one) => one.id === team && one.isAdminOfAll);
    if (failing.every((teams) => [...teams].some(isAdminOfAll))) return;
    throw new AttuneError(
      `${change.address} is not changed: another user has revoked the other admins of guards.keep-admin since the plan`,
      { code: 'keep-admin', hint: 'plan again' },
    );
  };
}
