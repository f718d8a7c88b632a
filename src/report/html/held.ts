import { driftLines, fieldLines } from '../text/change-text.ts';
import { signs } from '../text/plan-text.ts';
import { figure } from '../words.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';

/** What waits, by reason, and how far rollouts are. */
export function held({ view, prefix }: PageEntry): Html | undefined {
  const { kind, plan } = view;
  if (plan?.held === undefined) return undefined;
  const { heading, groups, rollouts, notes } = plan.held;
  const id = `${prefix}-held`;
  const lines = kind === 'drift' ? driftLines : fieldLines;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${heading} <span class="count">${figure(groups.flatMap(({ changes }) => changes).length)}</span></h3>
${notes.map((note) => html`<p class="lead">${note}</p>`)}
${groups.map(
  ({ reason, changes }) => html`<details open><summary>${reason}</summary>
<ul class="moves">${changes.map(
    (change) =>
      html`<li class="move"><p><code>${signs[change.action]} ${change.address}</code>${lines(change).map((line) => html` <code>${line}</code>`)}</p></li>`,
  )}</ul></details>`,
)}
${rollouts.map(
  (rollout) => html`<details open><summary>Rollout ${rollout.id}</summary>
<ul class="moves">${rollout.waves.map(
    ({ text, runs }) =>
      html`<li class="move"><p>${text}${runs.map((run) => html`, ${run.url === undefined ? run.text : html`<a href="${run.url}" rel="noreferrer">${run.text}</a>`}`)}</p></li>`,
  )}</ul></details>`,
)}</section>`;
}
