import { destroyDuration, destroyTime, isUnder } from '../model/attributes.ts';
import type { Action, FieldChange } from '../model/change.ts';
import { loweredPermission } from '../model/lowered-access.ts';
import { isPermissionPath } from '../model/permissions.ts';
import {
  type MoveEffect,
  type Plan,
  type PlannedChange,
  projectOfMembers,
  type StateAccessChange,
  sentChanges,
  type UndeclaredGrant,
} from '../model/plan.ts';
import { type DeleteMode, nameOfAddress, namesOfGrant, workspaceAddress } from '../model/state.ts';
import { compareTexts, isRecord, noneIfEmpty, type Value } from '../model/value.ts';
import { keptDays } from '../relations/relations.ts';

/** The kinds of risk, in the order in which reports list them. */
const riskKinds = [
  'delete',
  'protection-lost',
  'auto-apply',
  'admin-access',
  'access-gained',
  'state-access-gained',
  'execution',
  'repository',
  'state-access-lost',
  'access-revoked',
  'unlock',
] as const;
export type RiskKind = (typeof riskKinds)[number];

/** One effect of a plan that needs attention. In a drift report, one that happened outside of Attune. */
export type Risk = DeleteRisk | FieldRisk | StateAccessRisk | GrantRisk;

interface DeleteRisk {
  readonly kind: 'delete';
  readonly address: string;
  readonly mode?: DeleteMode | undefined;
  /** The number of managed resources of a workspace; absent where the service does not return it. */
  readonly resources?: number | undefined;
}

interface FieldRisk extends FieldChange {
  readonly kind: 'protection-lost' | 'auto-apply' | 'execution' | 'repository' | 'unlock';
  readonly address: string;
}

interface StateAccessRisk {
  readonly kind: 'state-access-gained' | 'state-access-lost';
  readonly address: string;
  /** The names of the workspaces; `*` for every workspace of the organization, `<project>/*` for those of a project. */
  readonly workspaces: readonly string[];
  /** Those of every workspace that keep it. */
  readonly except?: readonly string[] | undefined;
}

/**
 * A team that gets more than `read`, through its grant or because a workspace moves; whose access is revoked; or that is an
 * admin although no file declares it.
 */
export interface GrantRisk {
  readonly kind: 'access-gained' | 'access-revoked' | 'admin-access';
  readonly address: string;
  readonly project: string;
  readonly team: string;
  readonly before: Value;
  readonly after: Value;
  /** No file declares the grant, and the plan keeps it. */
  readonly undeclared?: true;
}

type RiskyPlan = Pick<Plan, 'changes' | 'effects' | 'undeclaredAccess'>;

export function risksOf({ changes, effects, undeclaredAccess = [] }: RiskyPlan): Risk[] {
  const sent = sentChanges(changes);
  const fields = new Set(
    sent.flatMap(({ address, fields }) => fields.map(({ path }) => `${address} ${path}`)),
  );
  const { inherited = [] } = effects;
  return sorted([
    ...changes.flatMap(protectionRisks),
    ...sent.flatMap(changeRisks),
    ...undeclaredAccess.flatMap((grant) => undeclaredRisks(grant, 'admin')),
    ...effects.stateAccess.flatMap((effect) => stateAccessRisks(effect, workspaceAddress(effect.workspace))),
    ...effects.moves.flatMap((effect) => moveRisks(effect, workspaceAddress(effect.workspace))),
    // Runs are executed elsewhere, or a destruction is scheduled, without a change of the workspace itself.
    ...inherited
      .filter(({ address, path }) => !fields.has(`${address} ${path}`))
      .flatMap((setting) => fieldRisk(setting, 'update')),
  ]);
}

type DriftPlan = RiskyPlan & Partial<Pick<Plan, 'diagnostics'>>;

/** Why drift shows a deletion: it is declared, no file declares the resource, or the time of the access has ended. */
export type DriftDeletion = 'to delete' | 'undeclared' | 'ended';

export function deletionsIn(plan: DriftPlan): ReadonlyMap<string, DriftDeletion> {
  const ended = endedIn(plan);
  const deleted = sentChanges(plan.changes).filter(({ action }) => action === 'delete');
  return new Map(
    deleted.map(({ address, location }) => [
      address,
      ended.has(address) ? 'ended' : location ? 'to delete' : 'undeclared',
    ]),
  );
}

/** The access that a plan revokes because its time has ended. */
function endedIn({ diagnostics = [] }: DriftPlan): ReadonlySet<string | undefined> {
  return new Set(diagnostics.flatMap(({ code, address }) => (code === 'access-ended' ? address : [])));
}

/** The risks of changes that were made on the service: those of the step from the declared state to the live one. */
export function driftRisksOf(plan: DriftPlan): Risk[] {
  const { effects, undeclaredAccess = [] } = plan;
  const ended = endedIn(plan);
  // Of access whose time has passed, a user gained only what was raised since.
  const changes = sentChanges(plan.changes).map((change) =>
    ended.has(change.address) ? { ...change, action: 'update' as const, grants: [] } : change,
  );
  const risks = risksOf({ changes: changes.map(reversedChange), effects: reversed(effects) });
  return sorted([...risks, ...undeclaredAccess.flatMap((grant) => undeclaredRisks(grant, null))]);
}

const opposites: Readonly<Record<string, string>> = {
  before: 'after',
  after: 'before',
  gains: 'loses',
  loses: 'gains',
  from: 'to',
  to: 'from',
};

/** The same step backward. What changes is not looked into: it can have keys with these names. */
function reversed<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(reversed) as Part;
  if (!isRecord(part)) return part;
  const entries = Object.entries(part).map(([key, value]) => {
    const opposite = opposites[key];
    return opposite === undefined ? [key, reversed(value)] : [opposite, value];
  });
  return Object.fromEntries(entries) as Part;
}

const reversedActions: Readonly<Record<Action, Action>> = {
  create: 'delete',
  update: 'update',
  delete: 'create',
};

function reversedChange({ mode: _mode, protectionLost: _lost, ...change }: PlannedChange): PlannedChange {
  const { action, grants, fields } = change;
  return {
    ...change,
    ...reversed({ grants, fields }),
    action: reversedActions[action],
    calls: [],
  };
}

function changeRisks(change: PlannedChange): Risk[] {
  switch (change.kind) {
    case 'project':
    case 'workspace':
      return change.action === 'delete' ? deleteRisks(change) : fieldRisks(change);
    case 'team-access':
      return grantRisks(change);
    default:
      return change.kind satisfies never;
  }
}

function deleteRisks({ address, mode, resources, calls }: PlannedChange): Risk[] {
  const deletion: Risk = { kind: 'delete', address, mode, resources };
  return calls.some(({ operation }) => operation === 'unlockWorkspace')
    ? [deletion, { kind: 'unlock', address, path: 'lock', before: true, after: false }]
    : [deletion];
}

function fieldRisks({ address, action, fields }: PlannedChange): Risk[] {
  return fields.flatMap(({ inEffect, ...field }) => fieldRisk({ address, ...field, ...inEffect }, action));
}

function protectionRisks({ address, action, protectionLost }: PlannedChange): Risk[] {
  if (action === 'delete' || protectionLost === undefined) return [];
  const [path, before] = protectionLost.startsWith('freeze: ')
    ? ['freeze', protectionLost.slice('freeze: '.length)]
    : ['guards.protect', protectionLost];
  return [{ kind: 'protection-lost', address, path, before, after: null }];
}

/** A new workspace has nothing to lose, but it can apply runs without confirmation. */
function fieldRisk(
  { address, path, before, after }: Pick<FieldRisk, 'address' | 'path' | 'before' | 'after'>,
  action: Action,
): FieldRisk[] {
  const risk = (kind: FieldRisk['kind']): FieldRisk[] => [{ kind, address, path, before, after }];
  if (path === 'auto-apply' || path === 'auto-apply-run-trigger')
    return after === true ? risk('auto-apply') : [];
  if (action === 'create') return [];
  if (path === 'execution-mode' || path === 'operations' || path === 'agent-pool-id')
    return risk('execution');
  if (isUnder(path, 'vcs-repo')) return risk('repository');
  if (path === 'lock') return after === false ? risk('unlock') : [];
  return losesProtection({ path, before, after }) ? risk('protection-lost') : [];
}

function losesProtection({ path, before, after }: FieldChange): boolean {
  if (path === 'allow-destroy-plan') return after === true;
  if (path === 'data-retention') return keptDays(after) < keptDays(before);
  return hastensDestruction({ path, before, after });
}

export function hastensDestruction({ path, inEffect, ...field }: FieldChange): boolean {
  const { before, after } = inEffect ?? field;
  if (path === destroyTime) return isSooner(Date.parse(String(before)), Date.parse(String(after)));
  return path === destroyDuration && isSooner(hoursOf(before), hoursOf(after));
}

/** Whether a destruction is scheduled that was not, or for an earlier time. Not a number: there is none. */
function isSooner(before: number, after: number): boolean {
  return !Number.isNaN(after) && !(after >= before);
}

function hoursOf(duration: Value): number {
  const [, count, unit] = /^(\d+)([dh])$/.exec(String(duration)) ?? [];
  return Number(count) * (unit === 'd' ? 24 : 1);
}

function grantRisks({ address, name, action, fields, facts, grants = [] }: PlannedChange): Risk[] {
  const { project, team } = namesOfGrant(name);
  const level = fields.find(({ path }) => path === 'access');
  // Fields have no level where a deletion revokes it, and where the permissions of `custom` change.
  const live = typeof facts?.access === 'string' ? facts.access : null;
  const before = level?.before ?? (action === 'create' ? null : live);
  if (action === 'delete') return [{ kind: 'access-revoked', address, project, team, before, after: null }];
  const after = level?.after ?? live;
  const permissions = [...fields, ...grants];
  return gained({ before, after, permissions })
    ? [{ kind: 'access-gained', address, project, team, before, after }]
    : [];
}

type Step = Pick<FieldChange, 'before' | 'after'>;

function gained({ before, after, permissions }: Step & { readonly permissions: readonly FieldChange[] }) {
  if (after === null || after === 'unknown' || after === 'read' || before === 'admin') return false;
  // Where one side is unknown, permissions cannot be compared.
  if (before === 'unknown' || after === 'admin') return after !== 'custom';
  return permissions.some(
    ({ path, before: had, after: has }) =>
      isPermissionPath(path) && loweredPermission(path, has, had) && !atMostRead.has(has),
  );
}

const atMostRead: ReadonlySet<Value> = new Set([null, false, 'none', 'read-outputs', 'read']);

function undeclaredRisks({ address, access }: UndeclaredGrant, before: 'admin' | null): Risk[] {
  if (access !== 'admin') return [];
  const { project, team } = namesOfGrant(nameOfAddress(address));
  return [{ kind: 'admin-access', address, project, team, before, after: access, undeclared: true }];
}

function stateAccessRisks({ gains, loses }: StateAccessChange, address: string): Risk[] {
  // With `*` on one side, the other side lists all readers by name, not only those that change.
  const gained = loses.includes('*') ? [] : gains;
  const lost = gains.includes('*') ? [] : loses;
  const except = loses.includes('*') ? noneIfEmpty(gains) : undefined;
  const risks: readonly Extract<Risk, { readonly workspaces: unknown }>[] = [
    { kind: 'state-access-gained', address, workspaces: gained },
    { kind: 'state-access-lost', address, workspaces: lost, except },
  ];
  return risks.filter(({ workspaces }) => workspaces.length > 0);
}

function moveRisks({ to, teams }: MoveEffect, address: string): Risk[] {
  return teams.flatMap(({ team, before, after, permissions }): Risk[] =>
    gained({ before, after, permissions })
      ? [{ kind: 'access-gained', address, project: to, team, before, after }]
      : [],
  );
}

function sorted(risks: readonly Risk[]): Risk[] {
  return risks
    .map((risk) => ({ risk, rank: riskKinds.indexOf(risk.kind), weight: weight(risk) }))
    .sort(
      // The difference of two infinite weights is not a number, and falsy.
      (a, b) => a.rank - b.rank || b.weight - a.weight || compareTexts(a.risk.address, b.risk.address),
    )
    .map(({ risk }) => risk);
}

function weight(risk: Risk): number {
  if (risk.kind === 'delete') return risk.resources ?? 0;
  if (risk.kind === 'access-gained') return risk.after === 'admin' ? 1 : 0;
  if (!('workspaces' in risk)) return 0;
  if (risk.workspaces.includes('*')) return Number.POSITIVE_INFINITY;
  const isWholeProject = risk.workspaces.some((reader) => projectOfMembers(reader) !== undefined);
  return isWholeProject ? Number.MAX_SAFE_INTEGER : risk.workspaces.length;
}
