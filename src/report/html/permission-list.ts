import type { FieldChange } from '../../model/change.ts';
import { grantLines } from '../text/field-text.ts';
import { type Html, html } from './escape.ts';

/** What is granted and what is revoked, a permission on each line. */
export function permissionList(changes: readonly FieldChange[]): Html | undefined {
  if (changes.length === 0) return undefined;
  const lines = changes.flatMap((change) => grantLines([change]));
  const gains = lines.filter((line) => line.startsWith('grants '));
  const losses = lines.filter((line) => !line.startsWith('grants '));
  return html`<ul class="permissions">${gains.map((line) => permission(line, 'gain', '+'))}${losses.map((line) => permission(line, 'loss', '−'))}</ul>`;
}

function permission(line: string, tone: 'gain' | 'loss', sign: string): Html {
  const [verb = '', path = '', ...rest] = line.split(' ');
  return html`<li class="${tone}"><b aria-hidden="true">${sign}</b> ${verb} <code>${path}</code> ${rest.join(' ').replace('->', '→')}</li>`;
}
