import type { SourceLocation } from '../../model/diagnostic.ts';
import { showPlace } from '../../model/diagnostic.ts';
import type { Fields } from '../../model/fields.ts';
import { workspaceAddress } from '../../model/state.ts';
import { nearest, quote } from '../../model/text.ts';
import type { AllDeclarations } from '../declarations.ts';
import { locateKey, locateValue } from '../files/source.ts';
import type { Loading } from '../problems.ts';
import type { RawLayer, RawScope } from '../schema/language.ts';
import { type CheckedWorkspace, type RuleContext, settingRules } from './setting-rules.ts';
import { checkSharing } from './sharing-rules.ts';

/** The rules that look at several values, which may come from several layers. */
export function checkWorkspace(workspace: CheckedWorkspace, context: RuleContext): void {
  for (const rule of settingRules) {
    const problem = rule(workspace, context);
    if (problem) context.loading.problems.add({ ...problem, address: workspace.address });
  }
  checkSharing(workspace, context);
}

/** A former name belongs to no declared workspace, and to one workspace only. */
export function checkRenames(declared: AllDeclarations['workspaces'], { origins, problems }: Loading): void {
  const claims = new Map<string, { readonly name: string; readonly location: SourceLocation }>();
  for (const [name, { value }] of declared) {
    const former = value?.['renamed-from'];
    if (value === undefined || former === undefined || value.state === 'absent') continue;
    const location = locateValue(origins, value, 'renamed-from');
    const address = workspaceAddress(name);
    const still = declared.get(former);
    if (still)
      problems.error(
        'renamed-from',
        former === name
          ? `the workspace ${quote(name)} cannot be renamed from itself`
          : `the former name ${quote(former)} is declared, too, at ${showPlace(still.location)}`,
        { at: { address, location } },
      );
    const other = claims.get(former);
    if (!other) claims.set(former, { name, location });
    else
      for (const [here, there, at] of [
        [location, other, address],
        [other.location, { name, location }, workspaceAddress(other.name)],
      ] as const)
        problems.error(
          'renamed-from',
          `${quote(former)} is also the former name of ${quote(there.name)}, at ${showPlace(there.location)}`,
          { at: { address: at, location: here } },
        );
  }
}

/** A workspace that is deleted has no former name, and it is not protected, neither by itself nor by a layer. */
export function checkTombstone(
  layer: RawLayer,
  { address, base, loading }: { address: string; base: Fields; loading: Loading },
): void {
  const former = layer['renamed-from'];
  if (former !== undefined)
    loading.problems.error(
      'renamed-from',
      `a workspace with state: absent is not renamed, and ${quote(former)} would stay`,
      {
        at: { address, location: locateKey(loading.origins, layer, 'renamed-from') },
        hint: `remove the line; to delete ${quote(former)}, declare it with state: absent`,
      },
    );
  const own = Object.hasOwn(layer, 'protect');
  const inherited = base.get('protect');
  if (own ? layer.protect !== true : inherited?.value !== true) return;
  loading.problems.error(
    'protected',
    `the workspace is protected${own || !inherited ? '' : ` (${showPlace(inherited.location)})`} and cannot be deleted`,
    {
      at: { address, location: locateKey(loading.origins, layer, own ? 'protect' : 'state') },
      hint: own ? 'remove protect: true first' : 'add protect: false next to state: absent',
    },
  );
}

/** `delete` sets how a tombstone deletes; without `state: absent` it has no effect. */
export function checkUnusedDelete(
  layer: RawLayer,
  { address, loading }: { address: string; loading: Loading },
): void {
  if (!Object.hasOwn(layer, 'delete') || Object.hasOwn(layer, 'state')) return;
  loading.problems.error('missing-key', '"delete" requires state: absent', {
    at: { address, location: locateKey(loading.origins, layer, 'delete') },
  });
}

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
    problems.warning(
      'adopt-undeclared',
      `${quote(name)} is under scope.adopt, and no workspace is declared by this name or renamed from it`,
      {
        at: locateValue(origins, adopt, index),
        hint: () => {
          const near = nearest(name, declared);
          return near === undefined
            ? 'declare the workspace, or remove the name'
            : `did you mean ${quote(near)}?`;
        },
      },
    );
  }
}
