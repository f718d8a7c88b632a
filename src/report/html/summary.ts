import type { Outcome } from '../../model/apply-result.ts';
import { type Severity, severities } from '../../model/diagnostic.ts';
import type { EntryView } from './entry.ts';
import { type Fragment, type Html, html } from './escape.ts';
import { figure } from './words.ts';

interface Card {
  readonly count: number;
  readonly label: string;
  /** Colours the figure where it is not zero. */
  readonly tone?: 'create' | 'update' | 'delete' | 'good' | 'bad' | 'warning';
  /** Told beside colour. */
  readonly sign?: string;
}

/** The figures of one organization, as cards. */
export function summary(view: EntryView): Html {
  const cards = cardsOf(view);
  return html`<ul class="cards" aria-label="Summary">${cards.map(card)}</ul>`;
}

function card({ count, label, tone, sign }: Card): Html {
  const state: Fragment = count === 0 ? 'zero' : (tone ?? 'plain');
  const mark =
    sign !== undefined && count > 0 && html`<span class="card-sign" aria-hidden="true">${sign}</span>`;
  return html`<li class="card ${state}"><span class="card-count">${mark}${figure(count)}</span> <span class="card-label">${label}</span></li>`;
}

function cardsOf(view: EntryView): readonly Card[] {
  const { plan, result, entry } = view;
  if (plan === undefined) return severityCards(entry.diagnostics);
  const problems = severityCards(entry.diagnostics).filter(
    ({ count, label }) => count > 0 && !/note/.test(label),
  );
  return [...(result ? outcomeCards(view) : changeCards(view)), ...problems];
}

function outcomeCards({ changes, plan }: EntryView): readonly Card[] {
  const ended = (outcome: Outcome) => changes.filter(({ result }) => result === outcome).length;
  return [
    { count: ended('done'), label: 'done', tone: 'good', sign: '✓' },
    { count: ended('failed'), label: 'failed', tone: 'bad', sign: '✗' },
    { count: ended('skipped'), label: 'skipped', tone: 'warning', sign: '⊘' },
    { count: plan?.summary.unchanged ?? 0, label: 'unchanged' },
    { count: changes.reduce((sum, { callsDone = 0 }) => sum + callsDone, 0), label: 'calls made' },
  ];
}

function changeCards({ kind, plan, wording }: EntryView): readonly Card[] {
  if (plan === undefined) return [];
  const { create, update, delete: deletes, unchanged, calls } = plan.summary;
  return [
    { count: create, label: wording.cards.create, tone: 'create', sign: '+' },
    { count: update, label: wording.cards.update, tone: 'update', sign: '~' },
    { count: deletes, label: wording.cards.delete, tone: 'delete', sign: '−' },
    ...((kind === 'drift' && plan.overview.scope === 'whole') || plan.unmanaged.length > 0
      ? [{ count: plan.unmanaged.length, label: 'undeclared', tone: 'warning', sign: '?' } as const]
      : []),
    { count: unchanged, label: wording.unchanged },
    ...(kind === 'drift' ? [] : [{ count: calls, label: calls === 1 ? 'call' : 'calls' }]),
  ];
}

const tones = { error: 'bad', warning: 'warning', note: undefined } as const satisfies Record<
  Severity,
  unknown
>;
const signs = { error: '✗', warning: '!', note: undefined } as const satisfies Record<Severity, unknown>;

function severityCards(diagnostics: EntryView['entry']['diagnostics']): readonly Card[] {
  return severities.map((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    const tone = tones[severity];
    const sign = signs[severity];
    return {
      count,
      label: count === 1 ? severity : `${severity}s`,
      ...(tone && { tone }),
      ...(sign && { sign }),
    };
  });
}
