import { driftRisksOf, type Risk, type RiskKind, risksOf } from '../check/risks.ts';
import { sharingSwitches } from '../model/attributes.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { type PlannedChange, projectOfMembers } from '../model/plan.ts';
import { kindOfAddress } from '../model/state.ts';
import { groupBy, type Value } from '../model/value.ts';
import { escapeControls } from './escape-controls.ts';
import type { Item, ItemRisk, RisksByAddress, ShownEntry } from './items.ts';
import { placeOf } from './text/diagnostics-text.ts';
import { valueText } from './values.ts';
import { countedFigure, figure, firstOf } from './words.ts';

interface KindText {
  readonly level: ItemRisk['level'];
  /** What the risks of the kind have in common. */
  readonly label: string;
  /** The label in a drift report, where it differs. */
  readonly driftLabel?: string;
}

/** The most severe first. */
const kindTexts: Readonly<Record<RiskKind, KindText>> = {
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

const riskOrder = Object.keys(kindTexts);

/** What needs attention in a root file, the most severe kind first. */
export function riskItems({
  kind,
  plan,
  entry,
  changes,
  undeclared,
  index,
  title,
  isJoint,
}: ShownEntry): readonly Item[] {
  if (plan === undefined) return [];
  const isDrift = kind === 'drift';
  const risks = isDrift ? driftRisksOf(plan) : risksOf(plan);
  if (risks.length === 0) return [];
  const planned = new Map(plan.changes.map((change) => [change.address, change]));
  const grants = new Map(plan.undeclaredAccess?.map((grant) => [grant.address, grant.location]));
  const listed = new Set([...changes.map(({ address }) => address), ...undeclared]);
  // Several fields of one workspace are one risk, such as an execution mode and its agent pool.
  const same = groupBy(risks, (risk) => JSON.stringify([risk.kind, risk.address]));
  const items = [...same.values()].map((ofOne): Item => {
    const risk = ofOne[0] as Risk;
    const { level, label, driftLabel = label } = kindTexts[risk.kind];
    const location = grants.get(risk.address) ?? locationOf(risk, planned.get(risk.address));
    const place = location && placeOf(location, entry.path);
    const address = escapeControls(risk.address);
    return {
      sign: '!',
      label: isDrift ? driftLabel : label,
      head: address,
      detail: ofOne.map((one) => detailOf(one, isDrift)).join('; ') || undefined,
      place,
      rest: [],
      level: 'warning',
      rule: 'risk',
      address,
      risk: {
        kind: risk.kind,
        level,
        resources: risk.kind === 'delete' ? risk.resources : undefined,
        entry: index,
        root: isJoint && place?.file !== title ? title : undefined,
        isListed: listed.has(risk.address),
      },
    };
  });
  return bySeverity(items);
}

/** The most severe kind first. */
export function bySeverity(items: readonly Item[]): readonly Item[] {
  const rank = ({ risk }: Item) => riskOrder.indexOf(risk?.kind ?? '');
  return [...items].sort((a, b) => rank(a) - rank(b));
}

/** The risks of each address, as lines such as `auto-apply on: auto-apply: false -> true`. */
export function risksByAddress(items: readonly Item[]): RisksByAddress {
  const lines = [...groupBy(items, ({ head }) => head)].map(([address, same]) => {
    const texts = same.map(({ label, detail, risk }) => {
      // The title has the mode of a delete.
      const what = risk?.kind === 'delete' && detail ? resourcesText(risk.resources) : detail;
      return what ? `${label}: ${what}` : String(label);
    });
    return [address, texts] as const;
  });
  return new Map(lines);
}

/** The line of the field, else that of the resource. */
function locationOf(risk: Risk, change: PlannedChange | undefined): SourceLocation | undefined {
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

function resourcesText(resources: number | undefined): string {
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
