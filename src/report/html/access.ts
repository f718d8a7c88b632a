import { accessLegend } from './access-legend.ts';
import { accessMatrix } from './access-matrix.ts';
import { type Html, html } from './escape.ts';
import { moves } from './moves.ts';
import type { PageEntry } from './page-entry.ts';
import { counted } from './words.ts';

/** Which team may do what in which project, and what moves of workspaces change about it. */
export function access(entry: PageEntry): Html | undefined {
  const { kind, prefix, view } = entry;
  if (view.plan === undefined) return undefined;
  const {
    access: { grants },
    moves: ways,
  } = view.plan;
  if (grants.length + ways.length === 0) return undefined;
  const id = `${prefix}-access`;
  const changed = grants.filter(({ isChanged }) => isChanged);
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">Team access${changed.length > 0 && html` <span class="count">${counted(changed.length, 'change')}</span>`}</h3>
${grants.length > 0 && html`<p class="lead">What each team may do in each project that was read${kind === 'drift' && ', live → declared'}. Open a marked cell for its permissions.</p>${accessMatrix(grants, entry)}${accessLegend()}`}
${moves(ways, entry)}</section>`;
}
