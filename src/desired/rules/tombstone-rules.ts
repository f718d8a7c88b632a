import { showPlace } from '../declarations.ts';
import type { Fields } from '../fields.ts';
import type { RawLayer } from '../files/raw-file.ts';
import type { Loading } from '../loading.ts';
import { locateKey } from '../origins.ts';
import { quote } from '../quote.ts';

/** A workspace that is deleted has no former name, and it is not protected, neither by itself nor by a layer. */
export function judgeTombstone(
  layer: RawLayer,
  { address, base, loading }: { address: string; base: Fields; loading: Loading },
): void {
  const former = layer['renamed-from'];
  if (former !== undefined)
    loading.problems.add({
      code: 'renamed-from-absent',
      message: `a workspace with state: absent is not renamed, and ${quote(former)} would stay`,
      hint: `remove the line; to delete ${quote(former)}, declare it with state: absent`,
      address,
      location: locateKey(loading.origins, layer, 'renamed-from'),
    });
  const own = Object.hasOwn(layer, 'protect');
  const inherited = base.get('protect');
  if (own ? layer.protect !== true : inherited?.value !== true) return;
  loading.problems.add({
    code: 'protected',
    message: `the workspace is protected${own || !inherited ? '' : ` (${showPlace(inherited.location)})`} and cannot be deleted`,
    hint: own ? 'remove protect: true first' : 'write protect: false beside state: absent',
    address,
    location: locateKey(loading.origins, layer, own ? 'protect' : 'state'),
  });
}

/** `delete` says how a tombstone deletes; anywhere else somebody meant something that does not happen. */
export function judgeUnusedDelete(
  layer: RawLayer,
  { address, loading }: { address: string; loading: Loading },
): void {
  if (!Object.hasOwn(layer, 'delete') || Object.hasOwn(layer, 'state')) return;
  loading.problems.add({
    code: 'delete-without-absent',
    message: '"delete" stands only beside state: absent',
    hint: 'add state: absent to delete the workspace, or remove the line to keep it',
    address,
    location: locateKey(loading.origins, layer, 'delete'),
  });
}
