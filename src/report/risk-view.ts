import { driftRisksOf, type Risk, type RiskKind, risksOf } from '../check/risks.ts';
import { sharingSwitches } from '../model/attributes.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { type Plan, projectOfMembers } from '../model/plan.ts';
import { kindOfAddress } from '../model/state.ts';
import { groupBy, type Value } from '../model/value.ts';
import { type PathOf, placeOf } from './diagnostic-view.ts';
import { escapeControls } from './escape-controls.ts';
import type { ReportKind } from './report.ts';
import { valueText } from './text/change-text.ts';
import { countedFigure, figure, firstOf } from './words.ts';

/** How severe a risk is: `high` destroys, removes a safeguard, or gives full control. */
export type RiskLevel = 'high' | 'medium';

export interface RiskView {
  readonly kind: RiskKind;
  readonly level: RiskLevel;
  /** What the risks of the kind have in common, such as `auto-apply on`. */
  readonly label: string;
  readonly address: string;
  /** One line; empty where the label is enough. */
  readonly detail: string;
  /** The line that declares it. */
  readonly place?: SourceLocation | undefined;
  /** The number of managed resources of a deleted workspace; absent where it is unknown. */
  readonly resources?: number;
}

interface KindView {
  readonly level: RiskLevel;
  readonly label: string;
  /** The label in a drift report, where it differs. */
  readonly driftLabel?: string;
}

const kindViews: Readonly<Record<RiskKind, KindView>> = {
  delete: { level: 'high', label: 'delete', driftLabel: 'missing' },
  'protection-lost': { level: 'high', label: 'protection lost' },
  'auto-apply': { level: 'high', label: 'auto-apply on' },
  'admin-access': { level: 'high', label: 'admin access' },
  'state-access-gained': { level: 'medium', label: 'state access gained' },
  execution: { level: 'medium', label: 'execution mode' },
  repository: { level: 'medium', label: 'repository' },
  'state-access-lost': { level: 'medium', label: 'state access lost' },
  'access-revoked': { level: 'medium', label: 'access revoked' },
  unlock: { level: 'medium', label: 'unlock', driftLabel: 'unlocked' },
};

/** The kinds of risks, the most severe first. */
const riskOrder = Object.keys(kindViews) as readonly RiskKind[];

/** The risks of a plan, the most severe kind first. */
export function riskViews(kind: ReportKind, plan: Plan, path: PathOf): readonly RiskView[] {
  const isDrift = kind === 'drift';
  const risks = isDrift ? driftRisksOf(plan) : risksOf(plan);
  if (risks.length === 0) return [];
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  const undeclared = new Map(plan.undeclaredAccess?.map((grant) => [grant.address, grant.location]));
  // Several fields of one workspace are one risk, such as an execution mode and its agent pool.
  const same = groupBy(risks, ({ kind: riskKind, address }) => JSON.stringify([riskKind, address]));
  const views = [...same.values()].map((ofOne): RiskView => {
    const risk = ofOne[0] as Risk;
    const { kind: riskKind, address } = risk;
    const { level, label, driftLabel = label } = kindViews[riskKind];
    const location = undeclared.get(address) ?? locationOf(risk, changes.get(address));
    return {
      kind: riskKind,
      level,
      label: isDrift ? driftLabel : label,
      address: escapeControls(address),
      detail: ofOne.map((one) => detailOf(one, isDrift)).join('; '),
      place: location && placeOf(location, path),
      ...(risk.kind === 'delete' && risk.resources !== undefined && { resources: risk.resources }),
    };
  });
  return bySeverity(views);
}

/** The most severe kind first. */
export function bySeverity<Risky extends Pick<RiskView, 'kind'>>(risks: readonly Risky[]): readonly Risky[] {
  return [...risks].sort((a, b) => riskOrder.indexOf(a.kind) - riskOrder.indexOf(b.kind));
}

/** The line of the field, else that of the resource. */
function locationOf(risk: Risk, change: Plan['changes'][number] | undefined): SourceLocation | undefined {
  const origins = change?.origins;
  switch (risk.kind) {
    case 'delete':
    case 'admin-access':
    case 'access-revoked':
      return change?.location;
    case 'state-access-gained':
    case 'state-access-lost':
      return (
        origins?.['remote-state-consumers'] ??
        sharingSwitches.flatMap((path) => origins?.[path] ?? [])[0] ??
        origins?.project ??
        change?.location
      );
    default:
      return origins?.[risk.path] ?? change?.location;
  }
}

function detailOf(risk: Risk, isDrift: boolean): string {
  switch (risk.kind) {
    case 'delete':
      // A project that is deleted has no workspaces.
      if (isDrift || kindOfAddress(risk.address) !== 'workspace') return '';
      return `${risk.mode ?? 'safe'} delete, ${resourcesText(risk.resources)}`;
    case 'state-access-gained':
    case 'state-access-lost':
      return `by ${readersText(risk.workspaces)}`;
    case 'admin-access':
    case 'access-revoked': {
      if (risk.undeclared) return 'live, not declared';
      const isMove = kindOfAddress(risk.address) === 'workspace';
      const who = isMove ? `team ${escapeControls(risk.team)} in ${escapeControls(risk.project)}: ` : '';
      return who + changeText(risk.before ?? 'none', risk.after ?? 'none', isDrift);
    }
    case 'unlock':
      return changeText('locked', 'unlocked', isDrift);
    default: {
      const { path, before, after } = risk;
      return `${escapeControls(path)}: ${changeText(before, after, isDrift)}`;
    }
  }
}

/** In a drift report the step goes from the declared value to the live one. */
function changeText(before: Value, after: Value, isDrift: boolean): string {
  const [had, has] = [valueText(before), valueText(after)];
  return isDrift ? `live ${has}, declared ${had}` : `${had} -> ${has}`;
}

export function resourcesText(resources: number | undefined): string {
  return resources === undefined
    ? 'number of managed resources unknown'
    : countedFigure(resources, 'managed resource');
}

/** The maximum of workspaces named per line. */
const maxReaders = 5;

function readersText(workspaces: readonly string[]): string {
  if (workspaces.includes('*')) return 'every workspace';
  const [project] = workspaces.flatMap((reader) => projectOfMembers(reader) ?? []);
  if (project !== undefined) return `every workspace of ${escapeControls(project)}`;
  const names = workspaces.map(escapeControls);
  const { shown, rest } = firstOf(names, maxReaders);
  const more = rest.length > 0 ? ` and ${figure(rest.length)} more` : '';
  return `${countedFigure(names.length, 'workspace')}: ${shown.join(', ')}${more}`;
}

/** Counts the risks of a kind that a report does not list one by one. */
export function restText(rest: readonly Pick<RiskView, 'resources'>[]): string {
  const known = rest.flatMap(({ resources }) => resources ?? []);
  const count = `${figure(rest.length)} more`;
  if (known.length === 0) return count;
  const sum = known.reduce((total, resources) => total + resources, 0);
  const unknown = rest.length - known.length;
  const open = unknown > 0 ? ` (unknown for ${countedFigure(unknown, 'workspace')})` : '';
  return `${count}, ${countedFigure(sum, 'managed resource')}${open}`;
}
