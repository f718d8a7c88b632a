import type { SourceLocation } from '../../model/diagnostic.ts';
import { workspaceAddress } from '../../model/state.ts';
import { type AllDeclarations, showPlace } from '../declarations.ts';
import type { Loading } from '../loading.ts';
import { locateValue } from '../origins.ts';
import { quote } from '../quote.ts';

/** A former name belongs to no declared workspace, and to one workspace only. */
export function judgeRenames(declared: AllDeclarations['workspaces'], { origins, problems }: Loading): void {
  const claims = new Map<string, { readonly name: string; readonly location: SourceLocation }>();
  for (const [name, { value }] of declared) {
    const former = value?.['renamed-from'];
    if (value === undefined || former === undefined || value.state === 'absent') continue;
    const location = locateValue(origins, value, 'renamed-from');
    const address = workspaceAddress(name);
    const still = declared.get(former);
    if (still)
      problems.add({
        code: 'renamed-from-declared',
        message:
          former === name
            ? `${quote(name)} is renamed from itself`
            : `${quote(former)} is declared itself, at ${showPlace(still.location)}`,
        hint:
          former === name
            ? 'remove the line'
            : 'remove that declaration, or this line if both workspaces shall exist',
        address,
        location,
      });
    const other = claims.get(former);
    if (!other) claims.set(former, { name, location });
    else
      for (const [here, there, at] of [
        [location, other, address],
        [other.location, { name, location }, workspaceAddress(other.name)],
      ] as const)
        problems.add({
          code: 'renamed-from-twice',
          message: `${quote(former)} is also the former name of ${quote(there.name)}, at ${showPlace(there.location)}`,
          hint: 'only one workspace can be renamed from it',
          address: at,
          location: here,
        });
  }
}
