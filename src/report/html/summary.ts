import { type Severity, severities } from '../../model/diagnostic.ts';
import type { DiagnosticView } from '../diagnostic-view.ts';
import type { AppliedFigures, PlanView } from '../report-view.ts';
import { figure } from '../words.ts';
import { type Fragment, type Html, html } from './escape.ts';
import type { PageEntry, Wording } from './page-entry.ts';

interface Card {
  readonly count: number;
  readonly label: string;
  /** Colours the figure where it is not zero. */
  readonly tone?: 'create' | 'update' | 'delete' | 'good' | 'bad' | 'warning';
  /** Shown in addition to the color. */
  readonly sign?: string;
}

/** The figures of one organization, as cards. */
export function summary(entry: PageEntry): Html {
  const cards = cardsOf(entry);
  return html`<ul class="cards" aria-label="Summary">${cards.map(card)}</ul>`;
}

function card({ count, label, tone, sign }: Card): Html {
  const state: Fragment = count === 0 ? 'zero' : (tone ?? 'plain');
  const mark =
    sign !== undefined && count > 0 && html`<span class="card-sign" aria-hidden="true">${sign}</span>`;
  return html`<li class="card ${state}"><span class="card-count">${mark}${figure(count)}</span> <span class="card-label">${label}</span></li>`;
}

function cardsOf({ wording, view: { plan, diagnostics } }: PageEntry): readonly Card[] {
  const problems = severityCards(diagnostics);
  if (plan === undefined) return problems;
  const cards = plan.applied ? outcomeCards(plan, plan.applied) : changeCards(plan, wording);
  return [...cards, ...problems.filter(({ count, label }) => count > 0 && !label.startsWith('note'))];
}

function outcomeCards({ figures }: PlanView, applied: AppliedFigures): readonly Card[] {
  return [
    { count: applied.done, label: 'done', tone: 'good', sign: '✓' },
    { count: applied.failed, label: 'failed', tone: 'bad', sign: '✗' },
    ...(['unknown', 'partial'] as const)
      .filter((label) => applied[label] > 0)
      .map((label): Card => ({ count: applied[label], label, tone: 'bad', sign: '✗' })),
    { count: applied.skipped, label: 'skipped', tone: 'warning', sign: '⊘' },
    { count: figures.unchanged, label: 'unchanged' },
    { count: applied.calls, label: 'calls completed' },
  ];
}

function changeCards({ figures }: PlanView, wording: Wording): readonly Card[] {
  const { create, update, delete: deletes, held = 0, unchanged, calls, undeclared } = figures;
  return [
    { count: create, label: wording.cards.create, tone: 'create', sign: '+' },
    { count: update, label: wording.cards.update, tone: 'update', sign: '~' },
    ...(wording.cards.delete === undefined
      ? []
      : [{ count: deletes, label: wording.cards.delete, tone: 'delete', sign: '−' } as const]),
    ...(undeclared === undefined
      ? []
      : [{ count: undeclared, label: 'undeclared', tone: 'warning', sign: '?' } as const]),
    ...(held > 0 ? [{ count: held, label: 'held', sign: '‖' }] : []),
    { count: unchanged, label: wording.unchanged },
    ...(wording.hasCalls ? [{ count: calls, label: calls === 1 ? 'call' : 'calls' }] : []),
  ];
}

const severityMarks: Readonly<Record<Severity, Pick<Card, 'tone' | 'sign'>>> = {
  error: { tone: 'bad', sign: '✗' },
  warning: { tone: 'warning', sign: '!' },
  note: {},
};

function severityCards(diagnostics: readonly DiagnosticView[]): readonly Card[] {
  return severities.map((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return { count, label: count === 1 ? severity : `${severity}s`, ...severityMarks[severity] };
  });
}
