import {
  fixedLevels,
  type Permission,
  type PermissionSpec,
  permissionPaths,
  permissions,
} from '../../model/permissions.ts';
import { type Html, html } from './escape.ts';

/** What the levels imply, for who does not know them by heart. */
export function accessLegend(): Html {
  const head = fixedLevels.map((level) => html`<th scope="col">${level}</th>`);
  const rows = permissionPaths.flatMap((path) => {
    const spec: PermissionSpec = permissions[path];
    const levels = spec.implied;
    return levels
      ? [
          html`<tr><th scope="row"><code>${path}</code></th>${fixedLevels.map((level) => implied(levels[level]))}</tr>`,
        ]
      : [];
  });
  return html`<details class="fold"><summary>What the levels mean</summary><div class="scroll" role="region" tabindex="0" aria-label="What the levels mean"><table class="levels"><thead><tr><th scope="col">Permission</th>${head}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function implied(permission: Permission): Html {
  if (permission === false || permission === 'none')
    return html`<td class="no-access"><span aria-hidden="true">·</span><span class="sr">no</span></td>`;
  return html`<td>${permission === true ? 'yes' : permission}</td>`;
}
