import { withoutSafeDelete } from '../model/deletion.ts';
import { type Feature, features } from '../model/feature.ts';
import type { Resource } from '../model/state.ts';
import { locateValue } from './files/source.ts';
import { desiredKind } from './kinds.ts';
import type { Loading } from './problems.ts';
import type { RawFile } from './schema/language.ts';
import { quote } from './text.ts';

/** Declarations that need a feature which `service.without` names: a plan could not be applied. */
export function checkFeatures(
  resources: readonly Resource[],
  { service, prune }: Pick<RawFile, 'service' | 'prune'>,
  { problems, origins }: Loading,
): void {
  const without = service?.without ?? [];
  const add = (
    feature: Feature,
    what: string,
    rest: Omit<Parameters<typeof problems.add>[0], 'code' | 'message'>,
  ) =>
    problems.add({
      code: 'not-offered',
      message: `${what}, and service.without declares that the service does not offer ${features[feature]}`,
      ...rest,
    });
  for (const resource of resources) {
    const { address, declared, location } = resource;
    if (location === undefined) continue;
    for (const feature of declared?.absent ? [] : without) {
      const path = desiredKind(resource.kind).pathOfFeature(resource, feature);
      if (path === undefined) continue;
      add(feature, path === '' ? 'team access is declared' : `${quote(path)} is declared`, {
        address,
        location: declared?.locations?.[path] ?? location,
        hint: `remove ${path === '' ? 'it' : path}, or remove ${feature} from service.without`,
      });
    }
    if (resource.kind === 'workspace' && declared?.absent === 'safe' && without.includes('safe-delete'))
      add('safe-delete', 'the workspace would be deleted safely', {
        address,
        location,
        hint: withoutSafeDelete('write `delete: force`'),
      });
  }
  if (prune?.workspaces !== 'safe' || !without.includes('safe-delete')) return;
  add('safe-delete', 'workspaces would be pruned safely', {
    location: locateValue(origins, prune, 'workspaces'),
    hint: 'set prune.workspaces to `keep`; `force` deletes workspaces without checking whether they manage resources',
  });
}
