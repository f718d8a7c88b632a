import { useTokenThatReadsAccess } from '../live/kinds.ts';
import { ifListed } from '../live/read-names.ts';
import { type Change, changesOf } from '../model/change.ts';
import { shownAs } from '../model/configuration.ts';
import { type Diagnostic, note, problem } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Call, Operation, PlannedChange } from '../model/plan.ts';
import { isUncreatedProject, resourcesOf } from '../model/state.ts';
import { groupBy, isRecord } from '../model/value.ts';
import { writtenBy } from '../service/call-codec.ts';
import { deniedPermissions } from '../service/documents.ts';
import type { Check, Pass } from './check.ts';
import { idsToCheck } from './unknown-ids.ts';

interface Requirement {
  readonly on: 'workspace' | 'project' | 'organization';
  readonly anyOf: readonly string[];
  readonly projects?: (change: Change) => readonly unknown[];
  /** The field that needs it; absent if the change as a whole does. */
  readonly field?: string;
}

const itself = ({ live }: Change) => [live?.id];
const home = ({ live, target }: Change) => [(target ?? live)?.attributes.project];
const fromAndTo = ({ live, target }: Change) => [live?.attributes.project, target?.attributes.project];

const settings: Requirement = { on: 'workspace', anyOf: ['can-update'] };
const bindings = ['can-update', 'can-manage-tags'];
const grants: Requirement = { on: 'project', anyOf: ['can-manage-teams'] };
const consumers: Requirement = { ...settings, field: 'remote-state-consumers' };
const retention: Requirement = { ...settings, field: 'data-retention' };
const tags: Requirement = { on: 'workspace', anyOf: ['can-manage-tags'], field: 'tags' };

/** Interface, sections 2.1 and 5. */
export const requirements = {
  createProject: { on: 'organization', anyOf: ['can-create-project'] },
  updateProject: { on: 'project', projects: itself, anyOf: ['can-update'] },
  upsertProjectBindings: { on: 'project', projects: itself, anyOf: bindings, field: 'tag-bindings' },
  deleteProject: { on: 'project', projects: itself, anyOf: ['can-destroy'] },
  moveWorkspaces: { on: 'project', projects: fromAndTo, anyOf: ['can-move-workspace'], field: 'project' },
  recoverWorkspace: { on: 'organization', anyOf: ['can-manage-recoverable-items'] },
  createWorkspace: { on: 'project', anyOf: ['can-create-workspace'] },
  unlockWorkspace: { on: 'workspace', anyOf: ['can-unlock'], field: 'lock' },
  forceUnlockWorkspace: { on: 'workspace', anyOf: ['can-force-unlock'], field: 'lock' },
  lockWorkspace: { on: 'workspace', anyOf: ['can-lock'], field: 'lock' },
  /** To write attributes and the name; `requirementsOf` adds what else a call of it needs. */
  updateWorkspace: settings,
  upsertBindings: { on: 'workspace', anyOf: bindings, field: 'tag-bindings' },
  addTags: tags,
  removeTags: tags,
  replaceConsumers: consumers,
  addConsumers: consumers,
  removeConsumers: consumers,
  assignSshKey: { ...settings, field: 'ssh-key' },
  setRetention: retention,
  removeRetention: retention,
  readGrants: { on: 'project', anyOf: ['can-read-teams'] },
  createGrant: grants,
  updateGrant: grants,
  deleteGrant: grants,
  deleteWorkspace: { on: 'workspace', anyOf: ['can-destroy'] },
  forceDelete: { on: 'workspace', anyOf: ['can-force-delete'] },
} satisfies Record<Operation | 'readGrants' | 'forceDelete', Requirement>;

/**
 * Finds calls that the service will refuse: the `permissions` of documents that the run has read deny them to the token. It
 * reads nothing more. A permission that no document shows is not checked.
 */
export const permitted: Check = {
  codes: ['not-permitted'],
  async find(pass) {
    const { plan, difference, request } = pass;
    if (difference.changes.length === 0) return [];
    const denials = await readDenials(pass);
    const sources = new Map(difference.changes.map((one) => [one.address, one]));
    const denied = plan.changes.flatMap((change) => {
      const source = sources.get(change.address);
      const [first, ...others] = source
        ? requiredCalls(change).flatMap((call) => refusals(call, source, denials))
        : [];
      return first ? [notPermitted(change, [first, ...others])] : [];
    });
    if (request.purpose !== 'review' || denied.length === 0) return denied;
    // A saved plan can be applied with another token, and `apply` checks again.
    return [
      note('not-permitted', `the token of this plan may not make ${denied.length} of its changes`, {
        hint: 'apply the saved plan with a token that may',
      }),
    ];
  },
};

/**
 * A token that may not read the team access of a project is shown only that of the teams that it belongs to (interface,
 * section 5): a grant that is missing from such a list may exist.
 */
export const unreadGrants: Check = {
  codes: ['access-unread'],
  except: [],
  async find(pass) {
    const created = createdGrants(pass);
    if (created.length === 0) return [];
    const { projects } = await readDenials(pass);
    return created.flatMap((change) => {
      const { project = '' } = change.target?.attributes ?? {};
      if (!projects.get(project)?.includes('can-read-teams')) return [];
      const { address, location } = change;
      const name = shownAs(pass.configuration, 'projects', project);
      const message = `${address} may exist: this token may not read all team access of project ${name} (can-read-teams is false)`;
      return problem('access-unread', message, { at: { address, location }, hint: useTokenThatReadsAccess });
    });
  },
};

function createdGrants({ difference: { changes } }: Pass) {
  return changesOf(changes, 'team-access').filter(({ action }) => action === 'create');
}

/** A recovered workspace is created only if the service no longer keeps it, which the recovery shows. */
function requiredCalls({ calls }: PlannedChange): readonly Call[] {
  const isRecovered = calls.some(({ operation }) => operation === 'recoverWorkspace');
  return isRecovered ? calls.filter(({ operation }) => operation !== 'createWorkspace') : calls;
}

type Denials = Awaited<ReturnType<typeof readDenials>>;

async function readDenials(pass: Pass) {
  const { configuration, live, source } = pass;
  const listed = (await listedProjects(pass)) ?? [];
  const managed = resourcesOf(live.state.resources.values(), 'project');
  const facts = await source.access?.organizationIfRead(configuration.desired.organization);
  const permissions = facts?.document?.attributes.permissions;
  return {
    configuration,
    projects: new Map([...listed, ...managed].map(({ id = '', denied = [] }) => [id, denied])),
    organization: facts?.document ? deniedPermissions(facts.document) : [],
    dialect: live.dialect,
    isGranted: (permission: string) => isRecord(permissions) && permissions[permission] === true,
  };
}

async function listedProjects(pass: Pass) {
  const { configuration, difference, live, source, query, request } = pass;
  const { known, desired } = configuration;
  const used = idsToCheck(difference.changes, live).some(({ kind }) => kind === 'projects');
  // An undo reads only what the run touched.
  const lists = request.purpose !== 'undo' && (used || createdGrants(pass).length > 0);
  if (!known?.has('projects') && !lists) return [];
  const { bindings = false } = query;
  return source.objects && ifListed(source.objects(desired.organization, 'projects', { bindings }));
}

interface Refusal {
  readonly permission: string;
  readonly place: string;
  readonly field: string | undefined;
}

function refusals(call: Call, change: Change, denials: Denials): readonly Refusal[] {
  return requirementsOf(call, denials.dialect).flatMap(({ on, projects = home, anyOf, field }) => {
    const lacks = (denied: readonly string[] = []) =>
      anyOf.every((permission) => denied.includes(permission));
    const { configuration } = denials;
    const refusal = (place: string) => ({ permission: anyOf[0] ?? '', place, field });
    if (on === 'workspace') return lacks(change.live?.denied) ? refusal('on it') : [];
    if (on === 'organization')
      return lacks(denials.organization)
        ? refusal(`in organization ${configuration.desired.organization}`)
        : [];
    return [...new Set(projects(change))]
      .filter((project) => typeof project === 'string')
      .filter((project) => !isUncreatedProject(project) && lacks(denials.projects.get(project)))
      .filter(() => call.operation !== 'createWorkspace' || !denials.isGranted('can-create-workspace'))
      .map((project) => refusal(`on project ${shownAs(configuration, 'projects', project)}`));
  });
}

function requirementsOf(call: Call, dialect: Dialect): readonly Requirement[] {
  if (call.mode === 'force') return [requirements.forceDelete];
  if (call.operation !== 'updateWorkspace') return [requirements[call.operation]];
  const { values, bindings } = writtenBy(call, dialect);
  const { project, ...settings } = values;
  return [
    Object.keys(settings).length > 0 ? requirements.updateWorkspace : [],
    bindings ? requirements.upsertBindings : [],
    project ? requirements.moveWorkspaces : [],
  ].flat();
}

const verbs = { create: 'created', update: 'updated', delete: 'deleted' } as const;

function notPermitted(
  { address, action, location: declared, origins = {} }: PlannedChange,
  refused: readonly [Refusal, ...Refusal[]],
): Diagnostic {
  const [{ field }] = refused;
  const byPlace = groupBy(refused, (one) => one.place);
  const missing = [...byPlace].map(([place, all]) => {
    const permissions = new Set(all.map(({ permission }) => `no ${permission}`));
    return `${[...permissions].join(' and ')} ${place}`;
  });
  const location = (field === undefined ? undefined : origins[field]) ?? declared;
  return problem(
    'not-permitted',
    `${address} cannot be ${verbs[action]}: this token has ${missing.join(', and ')}`,
    { at: { address, location }, hint: 'use a token that may do this, or leave the change out with --only' },
  );
}
