import type { PermissionView } from '../access-view.ts';
import { valueText } from '../text/change-text.ts';
import { type Html, html } from './escape.ts';

/** What is granted and what is revoked, a permission on each line. */
export function permissionList(permissions: readonly PermissionView[]): Html | undefined {
  if (permissions.length === 0) return undefined;
  return html`<ul class="permissions">${permissions.map(permission)}</ul>`;
}

function permission({ path, isGain, levels }: PermissionView): Html {
  const { tone, sign, verb } = isGain
    ? { tone: 'gain', sign: '+', verb: 'grants' }
    : { tone: 'loss', sign: '−', verb: 'revokes' };
  return html`<li class="${tone}"><b aria-hidden="true">${sign}</b> ${verb} <code>${path}</code> ${levels.map(valueText).join(' → ')}</li>`;
}
