import { workspaceAttributes } from '../../model/attribute-table.ts';
import type { AttributePath } from '../../model/attribute-values.ts';
import {
  attributePaths,
  destroyDuration,
  destroyTime,
  isRepositoryPath,
  sharingSwitches,
} from '../../model/attributes.ts';
import { wireNameOf } from '../../model/rows.ts';
import type { Value } from '../../model/value.ts';
import { invalidAttribute } from '../http/responses.ts';
import type { StoredProject, StoredWorkspace } from '../store/store.ts';
import { hasAssessments, type World } from '../world.ts';
import { resolveExecution } from './execution.ts';
import type { Draft, OwnValues } from './read-attributes.ts';

const resolvedElsewhere: ReadonlySet<string> = new Set(['execution-mode', 'operations', 'agent-pool-id']);

export function initialValues(world: World, organization: string): OwnValues {
  const record = world.store.get('organizations', organization);
  const values = Object.fromEntries(attributePaths.map((path) => [path, workspaceAttributes[path].default]));
  return {
    ...(values as Record<AttributePath, Value>),
    // No own values: the organization's mode and pool apply.
    'setting-overwrites.execution-mode': false,
    'setting-overwrites.agent-pool': false,
    'global-remote-state': record?.globalRemoteState ?? false,
    'iac-version': record?.latestVersion ?? null,
  };
}

interface ResolveInput {
  readonly world: World;
  readonly organization: string;
  readonly project: string;
  readonly own: OwnValues;
  /** Whether it has no destroy schedule, whatever that of its project. @default false */
  readonly neverDestroyed?: boolean | undefined;
  readonly given: Draft['given'];
  readonly creating?: boolean;
}

export function resolveWorkspace(input: ResolveInput) {
  const { world, organization, given, neverDestroyed = false } = input;
  const errors = [...given.errors];
  const draft: Draft = {
    world,
    organization,
    project: world.store.get('projects', input.project),
    given,
    own: resolvePlain(input),
    neverDestroyed,
    refuse: (path, detail) => errors.push(invalidAttribute(path, detail)),
  };
  resolveExecution(draft);
  resolveRepository(draft);
  if (world.dialect === 'terraform') {
    // The live service shares the state with the organization or with the project.
    if (sharingSwitches.every((path) => draft.own[path] === true))
      draft.refuse('project-remote-state', bothShared);
    resolveTriggers(draft);
    resolveSchedule(draft);
  }
  return { own: draft.own, neverDestroyed: draft.neverDestroyed, errors };
}

const bothShared = 'Project remote state cannot be enabled when global remote state sharing is enabled';

function resolvePlain({ world, own, given, creating }: ResolveInput): Draft['own'] {
  const resolved: Record<AttributePath, Value> = { ...own };
  for (const path of attributePaths) {
    const value = given.values[path];
    if (value === undefined || path.includes('.') || resolvedElsewhere.has(path)) continue;
    const spec = workspaceAttributes[path];
    if ((spec.createOnly && !creating) || (spec.hostedOnly && !hasAssessments(world))) continue;
    resolved[path] = value;
  }
  return resolved;
}

/** An organization without connections accepts every id, so that a quick test needs no seed for it. */
function isConnection(world: World, organization: string, id: string): boolean {
  const known = world.store.get('vcsConnections', id);
  if (known) return known.organization === organization;
  return world.store.ownedBy(organization, 'vcsConnections').length === 0;
}

type GivenValues = Draft['given']['values'];

const paths = attributePaths.filter(isRepositoryPath);
const token = 'vcs-repo.oauth-token-id';
const installation = 'vcs-repo.vcs-app-installation-id';
const repositoryId = 'vcs-repo.identifier';

function hasOwnRepository(own: OwnValues): boolean {
  return own[repositoryId] !== null;
}

/**
 * Merges a repository: only the given keys change, null removes it, and a new one needs a connection and an identifier
 * (interface, section 2.2). The live service also accepts an app installation instead of the connection.
 */
function resolveRepository(draft: Draft): void {
  const { own } = draft;
  const { repository, values } = draft.given;
  if (repository === 'removed') Object.assign(own, noRepository);
  if (repository !== 'given') return;
  const given = withoutBlanks(values);
  checkRepository(draft, given);
  if (!hasOwnRepository(own)) Object.assign(own, noRepository);
  for (const path of paths) own[path] = given[path] ?? (path in given ? null : own[path]);
  if (given[token]) own[installation] = null;
  else if (given[installation]) own[token] = null;
}

function checkRepository({ world, organization, own, refuse }: Draft, given: GivenValues): void {
  const { dialect } = world;
  const nameOf = (path: AttributePath) => wireNameOf(workspaceAttributes, path, dialect);
  const wrong = (path: AttributePath, detail: string) => refuse(`vcs-repo/${nameOf(path)}`, detail);
  const { [token]: connection, [repositoryId]: identifier } = given;
  if (connection && given[installation])
    wrong(installation, `must not be specified together with ${nameOf(token)}`);
  const isNew = !hasOwnRepository(own);
  if (isNew && !connection && !(dialect === 'terraform' && given[installation]))
    wrong(token, 'must be specified for a new repository');
  if (isNew && !identifier) wrong(repositoryId, 'must be specified for a new repository');
  if (typeof identifier === 'string' && !/^[^/\s]+(\/[^/\s]+)+$/.test(identifier))
    wrong(repositoryId, 'must have the form :org/:repo or :org/:project/_git/:repo');
  if (typeof connection === 'string' && !isConnection(world, organization, connection))
    wrong(token, "Repository doesn't exist or isn't accessible");
}

/** Official clients send an empty string for the kind of connection that they do not use. */
function withoutBlanks(given: GivenValues): GivenValues {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([path, value]) => value !== '' || (path !== token && path !== installation),
    ),
  );
}

const noRepository: GivenValues = Object.fromEntries(
  paths.map((path) => [path, workspaceAttributes[path].default]),
);

/* Rules of the live service that the interface document does not have: they do not apply to the iac dialect. */

/**
 * The live service keeps one destroy schedule: a time without a duration replaces the duration. Without its own
 * schedule a workspace inherits that of its project, unless the request declines it.
 */
function resolveSchedule(draft: Draft): void {
  const { own, project, refuse } = draft;
  const { values: given, inheritsSchedule: inherits } = draft.given;
  const [at, duration] = [given[destroyTime], given[destroyDuration]];
  if (inherits) {
    if (typeof duration === 'string' && duration !== durationOf(project)) refuse(destroyDuration, mustMatch);
    Object.assign(own, { [destroyTime]: null, [destroyDuration]: null });
    draft.neverDestroyed = false;
    return;
  }
  if (typeof at === 'string' && duration === undefined) own[destroyDuration] = null;
  if (duration === null) own[destroyTime] = at ?? null;
  const isWritten = at !== undefined || duration !== undefined;
  const optsOut = inherits === false || (draft.neverDestroyed && !isWritten);
  draft.neverDestroyed = optsOut && !hasOwnSchedule(own);
}

const mustMatch =
  'workspace auto destroy duration must match project auto destroy duration, consider setting inherits_project_auto_destroy to false';

/** The destroy schedule that it inherits; undefined if it has its own, or declines that of its project. */
export function inheritedSchedule(
  { store }: World,
  { attributes, neverDestroyed, project }: StoredWorkspace,
): Value | undefined {
  const isOwn = neverDestroyed || hasOwnSchedule(attributes);
  return isOwn ? undefined : durationOf(store.get('projects', project));
}

function durationOf(project: StoredProject | undefined): Value {
  return project?.settings?.[destroyDuration] ?? null;
}

function hasOwnSchedule(own: OwnValues): boolean {
  return own[destroyTime] !== null || own[destroyDuration] !== null;
}

const prefixes = 'trigger-prefixes';
const patterns = 'trigger-patterns';
const regex = 'vcs-repo.tags-regex';

/**
 * The live service supports one way to trigger at a time: prefixes, patterns or Git tags. A list that is sent alone, an
 * empty one included, clears the other; two filled lists are refused.
 */
function resolveTriggers({ own, given: { values: given }, refuse }: Draft): void {
  if (given[patterns] === undefined && given[prefixes] !== undefined) own[patterns] = [];
  if (given[prefixes] === undefined && given[patterns] !== undefined) own[prefixes] = [];
  const [hasPrefixes, hasPatterns] = [isFilled(given[prefixes]), isFilled(given[patterns])];
  if (hasPrefixes && hasPatterns)
    refuse(patterns, "'trigger_patterns' and 'trigger_prefixes' cannot both be populated.");
  const { 'file-triggers-enabled': isEnabled } = own;
  if (isFilled(own[patterns]) && isEnabled === false)
    refuse(patterns, "'trigger_patterns' cannot be populated when 'file_triggers_enabled' is set to false.");
  if (!own[regex] || !(given[regex] || hasPrefixes || hasPatterns)) return;
  const place = 'vcs-repo/tags-regex';
  if (isFilled(own[patterns]) || isFilled(own[prefixes]))
    refuse(place, "'tags_regex' cannot be populated together with trigger patterns or prefixes.");
  if (isEnabled === true)
    refuse(place, "'tags_regex' cannot be populated when 'file_triggers_enabled' is set to true.");
}

function isFilled(value: Value | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}
