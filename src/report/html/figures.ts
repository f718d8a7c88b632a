import { severities } from '../../model/diagnostic.ts';
import { figure } from '../words.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';

/** A figure of a root file. */
interface Figure {
  readonly count: number;
  readonly label: string;
  /** Colours the figure where it is not zero. */
  readonly tone: string;
  /** Shown in addition to the color. */
  readonly sign: string;
}

/** The figures of one root file, as tiles. */
export function tiles(entry: PageEntry): Html {
  return html`<ul class="cards" aria-label="Summary">${figuresOf(entry).map(tile)}</ul>`;
}

function tile({ count, label, tone, sign }: Figure): Html {
  const mark = sign !== '' && count > 0 && html`<span class="card-sign" aria-hidden="true">${sign}</span>`;
  return html`<li class="card ${count === 0 ? 'zero' : tone}"><span class="card-count">${mark}${figure(count)}</span> <span class="card-label">${label}</span></li>`;
}

/** The risks and the figures above zero, in a row; nothing without a plan. */
export function figureChips(entry: PageEntry): readonly Html[] {
  const { plan } = entry.view;
  if (plan === undefined) return [];
  const risks = {
    count: plan.risks.length,
    label: plan.risks.length === 1 ? 'risk' : 'risks',
    tone: 'warning',
  };
  return [risks, ...figuresOf(entry)].flatMap(({ count, label, tone }) =>
    count > 0 ? html`<li class="chip ${tone}">${figure(count)} ${label}</li>` : [],
  );
}

/** What a figure is, if it has a count. */
type Row = readonly [count: number | undefined, label: string, tone?: string, sign?: string];

/** Of changes, or of outcomes once apply has begun, and of problems. */
function figuresOf({ wording, view: { plan, diagnostics } }: PageEntry): readonly Figure[] {
  const [errors, warnings, notes] = severities.map((severity): Row => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    const label = count === 1 ? severity : `${severity}s`;
    // A plan has tiles of problems only if there are any.
    return [plan === undefined || count > 0 ? count : undefined, label, ...marks[severity]];
  }) as [Row, Row, Row];
  const problems = plan === undefined ? [errors, warnings, notes] : [errors, warnings];
  const rows = [...(plan ? planRows(plan, wording) : []), ...problems];
  return rows.flatMap(([count, label, tone = 'plain', sign = '']) =>
    count === undefined ? [] : { count, label, tone, sign },
  );
}

const marks = { error: ['bad', '✗'], warning: ['warning', '!'], note: [] } as const;

function planRows(
  { figures, applied }: NonNullable<PageEntry['view']['plan']>,
  wording: PageEntry['wording'],
): readonly Row[] {
  const { create, update, delete: deletes, held, unchanged, calls, undeclared } = figures;
  if (applied)
    return [
      [applied.done, 'done', 'good', '✓'],
      [applied.failed, 'failed', 'bad', '✗'],
      [applied.unknown || undefined, 'unknown', 'bad', '✗'],
      [applied.partial || undefined, 'partial', 'bad', '✗'],
      [applied.skipped, 'skipped', 'warning', '⊘'],
      [unchanged, 'unchanged'],
      [applied.calls, 'calls completed'],
    ];
  const { cards, hasCalls } = wording;
  return [
    [create, cards.create, 'create', '+'],
    [update, cards.update, 'update', '~'],
    [cards.delete === undefined ? undefined : deletes, cards.delete ?? '', 'delete', '−'],
    [undeclared, 'undeclared', 'warning', '?'],
    [held || undefined, 'held', 'plain', '‖'],
    [unchanged, wording.unchanged],
    [hasCalls ? calls : undefined, calls === 1 ? 'call' : 'calls'],
  ];
}
