import { nearest } from '../../model/text.ts';
import type { AllDeclarations } from '../declarations.ts';
import { locateValue } from '../files/source.ts';
import type { Loading } from '../problems.ts';
import type { RawScope } from '../schema/language.ts';
import { quote } from '../text.ts';

/** A name under `scope.adopt` takes over a live workspace only if a workspace is declared for it, perhaps a renamed one. */
export function checkAdopted(
  scope: RawScope | undefined,
  { workspaces }: AllDeclarations,
  { origins, problems }: Loading,
): void {
  const adopt = scope?.adopt ?? [];
  const declared = new Set(
    [...workspaces].flatMap(([name, { value }]) => [name, value?.['renamed-from'] ?? name]),
  );
  for (const [index, name] of adopt.entries()) {
    if (declared.has(name)) continue;
    problems.add({
      severity: 'warning',
      code: 'adopt-undeclared',
      message: `${quote(name)} is under scope.adopt, and no workspace is declared by this name or renamed from it`,
      hint: () => {
        const near = nearest(name, declared);
        return near === undefined
          ? 'declare the workspace, or remove the name'
          : `did you mean ${quote(near)}?`;
      },
      location: locateValue(origins, adopt, index),
    });
  }
}
