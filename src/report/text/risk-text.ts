import type { Paint, Style } from '../paint.ts';
import { type RiskGroupView, type RiskLevel, type RiskView, restText } from '../risk-view.ts';

/** The maximum of risks of one kind that are listed; `--full` lists all. */
const maxRisks = 5;

const styles: Readonly<Record<RiskLevel, Style>> = { high: 'red', medium: 'yellow' };

/** Where the details start. */
const detailColumn = 45;

/** What needs attention, one line for each risk, an empty line at the end. */
export function riskLines(groups: readonly RiskGroupView[], paint: Paint, full: boolean): string[] {
  if (groups.length === 0) return [];
  return [
    paint('bold', 'Needs attention:'),
    ...groups.flatMap((group) => groupLines(group, paint, full)),
    '',
  ];
}

function groupLines(group: RiskGroupView, paint: Paint, full: boolean): string[] {
  const { level, label, risks } = group;
  // One more line is as short as its count.
  const shown = full || risks.length <= maxRisks + 1 ? risks : risks.slice(0, maxRisks);
  const rest = risks.slice(shown.length);
  const sign = paint(styles[level], '!');
  return [
    ...shown.map((risk) => `  ${sign} ${riskLine(label, risk, paint)}`),
    ...(rest.length > 0 ? [`  ${sign} ${label}: ${restText(group, rest)} (--full lists them)`] : []),
  ];
}

function riskLine(label: string, { address, detail, location }: RiskView, paint: Paint): string {
  const place = location ? paint('dim', `${location.file}:${location.line}`) : '';
  const head = `${label}: ${address}`.padEnd(detailColumn - 2);
  return [head, detail, place]
    .filter((text) => text !== '')
    .join('  ')
    .trimEnd();
}
