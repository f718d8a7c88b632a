import { accessFacts } from '../../live/access-facts.ts';
import { grantFromDocument, projectFromDocument } from '../../live/from-document.ts';
import { changesOf } from '../../model/change.ts';
import { AttuneError } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import { permissions } from '../../model/permissions.ts';
import { type PlannedChange, sentChanges, type Written } from '../../model/plan.ts';
import { pathsOf } from '../../model/rows.ts';
import type { Value, Values } from '../../model/value.ts';
import type { ServiceReader } from '../../service/client.ts';
import { asResourceObject, type ResourceObject, relatedId } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import type { LookUpResult } from '../../service/exchange.ts';
import { grantsOf, projectsOf, readList } from '../../service/paging.ts';
import { permissionsFromWire } from '../../service/wire-codec.ts';
import { changesSince, requireUnchanged } from '../changed-since-plan.ts';
import { isTaken, nameConflict, nameTaken } from '../name-conflict.ts';
import { readerOfSent, readIfThere, readProject } from '../present-values.ts';
import { answeredResource, type Pair } from './compare-answer.ts';
import { createdId } from './create-workspace.ts';
import { deleteOnce } from './lock-and-delete.ts';
import {
  type OperationHandler,
  type PreparedCall,
  pickFacts,
  type ReadValues,
  recheckFacts,
  type SendContext,
  sendRepeatable,
} from './operation.ts';

const projectValues = answeredResource(({ written }, answered) => {
  const { attributes }: { attributes: Values } = projectFromDocument(answered);
  return Object.entries(written.values).map(([path, value]) => [path, value, attributes[path]]);
});

const createProject: OperationHandler = {
  ...projectValues,
  async send(prepared, context) {
    const { call, change } = prepared;
    const lookUp = () => createdProject(prepared, context);
    try {
      const readCreated = async () => (await lookUp())?.document;
      const document = await context.send(call, { lookUp, readCreated });
      context.ids.set(change.address, createdId(change.address, document?.data));
      return document;
    } catch (error) {
      throw isTaken(error) ? nameTaken(error, 'project') : error;
    }
  },
};

const updateProject: OperationHandler = {
  ...projectValues,
  /** A replacement would remove key/value tags that other users added since the plan. */
  async recheck(prepared, context) {
    if (prepared.written.bindings === undefined) return;
    const facts = pickFacts(prepared.change.facts ?? {}, ['tag-bindings']);
    await recheckFacts(prepared, context, { facts, read: () => readProject(prepared, context) });
  },
  send: sendRepeatable,
  read: readProject,
};

/** A project that was renamed or tagged since the plan may have another meaning for its users. */
const deleteProject: OperationHandler = {
  async send(prepared, context) {
    const { change, id } = prepared;
    const { keep } = context;
    const { exists: _exists, ...facts } = change.facts ?? {};
    const live = await readProject(prepared, context);
    if (live) requireUnchanged(change, changesSince(facts, live));
    if (live && keep) await keep(live);
    return deleteOnce(prepared, pathTo('showProject', { id }), context);
  },
};

async function createdProject(
  prepared: PreparedCall,
  { reader, organization }: SendContext,
): Promise<LookUpResult | undefined> {
  const name = String(prepared.written.values.name).toLowerCase();
  const projects = await readList(readerOfSent(prepared.written, reader), projectsOf(organization));
  const found = projects.find(({ attributes }) => String(attributes.name ?? '').toLowerCase() === name);
  if (!found) return undefined;
  const failure = nameConflict(prepared, found, projectFromDocument(found));
  return failure ? { failure } : { document: { data: found } };
}

const grantValues = answeredResource(grantPairs);

const createGrant: OperationHandler = {
  ...grantValues,
  send: ({ call, written }, { send, reader }) => send(call, { lookUp: () => createdGrant(written, reader) }),
};

const readGrant: ReadValues = async ({ change, id }, { reader, dialect }) => {
  const document = await readIfThere(pathTo('showTeamProject', { id }), reader);
  const grant = asResourceObject(document?.data);
  return grant && grantFromDocument(grant, String(change.facts?.project), dialect).attributes;
};

const updateGrant: OperationHandler = {
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
    await requireAdmin(change, context);
  },
  send: sendRepeatable,
  read: readGrant,
};

const deleteGrant: OperationHandler = {
  async recheck(prepared, context) {
    const { exists: _exists, project: _project, team: _team, ...access } = prepared.change.facts ?? {};
    await recheckFacts(prepared, context, { facts: access, read: () => readGrant(prepared, context) });
    await requireAdmin(prepared.change, context);
  },
  send: (prepared, context) => deleteOnce(prepared, pathTo('showTeamProject', { id: prepared.id }), context),
};

export const projectOperations = {
  createProject,
  updateProject,
  deleteProject,
  createGrant,
  updateGrant,
  deleteGrant,
};

async function createdGrant(
  { values: { project, team } }: Written,
  reader: ServiceReader,
): Promise<LookUpResult | undefined> {
  const grants = await readList(reader, grantsOf(String(project)));
  const found = grants.find((grant) => relatedId(grant, 'team') === team);
  return found && { document: { data: found } };
}

/** A permission that is not returned has its default (interface, section 2.4). */
function grantPairs(
  { written: { values } }: { readonly written: Written },
  answered: ResourceObject,
  dialect: Dialect,
): Pair[] {
  const { access, ...sent } = values;
  const got: Values = permissionsFromWire(answered.attributes, dialect, answered.id);
  return [
    ['access', access, answered.attributes.access as Value | undefined],
    ...pathsOf(permissions, dialect)
      .filter((path) => sent[path] !== undefined)
      .map((path): Pair => {
        const isDefault = sent[path] === permissions[path].customDefault;
        return [path, sent[path], got[path] ?? (isDefault ? sent[path] : undefined)];
      }),
  ];
}

/** @throws {AttuneError} if a change would revoke the last admin: another user can have revoked the others since the plan. */
async function requireAdmin(change: PlannedChange, { leavesAdmin }: SendContext): Promise<void> {
  if ((await leavesAdmin?.(change)) ?? true) return;
  throw new AttuneError(
    `${change.address} is not changed: another user has revoked the other admins of guards.keep-admin since the plan`,
    { code: 'keep-admin', hint: 'plan again' },
  );
}

/**
 * Whether the project of a change that takes `admin` from a team of `guards.keep-admin` has another admin. The run has given
 * access before it takes any; what else it takes counts as done.
 *
 * @param changes those of all plans of the run
 * @param guardsOf the ids of the teams of each guard of the run that covers a project
 */
export function adminCheck(
  changes: readonly PlannedChange[],
  guardsOf: (project: string) => readonly ReadonlySet<string>[],
  { reader, organization }: Pick<SendContext, 'reader' | 'organization'>,
): (change: PlannedChange) => Promise<boolean> {
  const sent = sentChanges(changes);
  const taken = changesOf(sent, 'team-access')
    .map(adminMovement)
    .filter(({ isAdmin }) => !isAdmin);
  const gone = new Set(changesOf(sent, 'project').map(({ action, id }) => action === 'delete' && id));
  const access = accessFacts(reader);
  return async (change) => {
    const own = adminMovement(change);
    if (!own.wasAdmin || own.isAdmin || gone.has(own.project)) return true;
    const concerned = guardsOf(own.project).filter((teams) => teams.has(own.team));
    if (concerned.length === 0) return true;
    const grants = await readList(reader, grantsOf(own.project));
    const admins = new Set(
      grants.flatMap((grant) =>
        grant.attributes.access === 'admin' ? (relatedId(grant, 'team') ?? []) : [],
      ),
    );
    for (const { project, team } of taken) if (project === own.project) admins.delete(team);
    const failing = concerned.filter((teams) => ![...teams].some((team) => admins.has(team)));
    if (failing.length === 0) return true;
    const all = await access.teams(organization);
    const isAdminOfAll = (team: string) => all?.some((one) => one.id === team && one.isAdminOfAll);
    return failing.every((teams) => [...teams].some(isAdminOfAll));
  };
}

function adminMovement({ action, fields, facts = {} }: PlannedChange) {
  const field = fields.find(({ path }) => path === 'access');
  const after = action === 'delete' ? undefined : (field?.after ?? facts.access);
  return {
    project: String(facts.project),
    team: String(facts.team),
    wasAdmin: facts.access === 'admin',
    isAdmin: after === 'admin',
  };
}
