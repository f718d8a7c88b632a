import { accessLegend } from './access-legend.ts';
import { accessMatrix } from './access-matrix.ts';
import type { EntryView } from './entry.ts';
import { type Html, html } from './escape.ts';
import { moves } from './moves.ts';
import { counted } from './words.ts';

/** Which team may do what in which project, and what moves of workspaces change about it. */
export function access(view: EntryView): Html | undefined {
  const { plan, prefix } = view;
  if (plan === undefined) return undefined;
  const { overview, effects } = plan;
  if (overview.grants.length + effects.moves.length === 0) return undefined;
  const id = `${prefix}-access`;
  const changed = overview.grants.filter(
    ({ before, after }) => JSON.stringify(before) !== JSON.stringify(after),
  );
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">Team access${changed.length > 0 && html` <span class="count">${counted(changed.length, 'change')}</span>`}</h3>
${overview.grants.length > 0 && html`<p class="lead">What each team may do in each project that was read${view.kind === 'drift' && ', live → declared'}. Open a marked cell for its permissions.</p>${accessMatrix(overview.grants, view)}${accessLegend()}`}
${moves(effects.moves, view)}</section>`;
}
