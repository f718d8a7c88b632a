import type { Configuration } from '../desired/configuration.ts';
import { desiredKind } from '../desired/kinds.ts';
import { located } from '../diff/comparison.ts';
import type { Change } from '../model/change.ts';
import { deletionSource, modeHints } from '../model/deletion.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Feature, features } from '../model/feature.ts';
import type { Resource } from '../model/state.ts';

/**
 * What the files declare and the service does not offer, each at its line. A plan with such a declaration could not be
 * applied, so it is an error before any write.
 */
export function missingFeatures(
  { desired }: Configuration,
  missing: readonly Feature[],
  { chosen, changes }: { readonly chosen: (address: string) => boolean; readonly changes: readonly Change[] },
): Diagnostic[] {
  if (missing.length === 0) return [];
  const resources = [...desired.resources.values()].filter(
    ({ address, declared }) => chosen(address) && !declared?.absent,
  );
  const declared = resources.flatMap((resource) =>
    missing.flatMap((feature) => {
      const path = desiredKind(resource.kind).pathOfFeature(resource, feature);
      return path === undefined ? [] : [notOffered(resource, feature, path)];
    }),
  );
  return [
    ...declared,
    ...(missing.includes('safe-delete')
      ? changes.flatMap((change) => safeDeletion(change, desired.resources.has(change.address)))
      : []),
  ];
}

function notOffered(resource: Resource, feature: Feature, path: string): Diagnostic {
  const what = path === '' ? 'team access' : path;
  return {
    severity: 'error',
    code: 'not-offered',
    message: `${resource.address} declares ${what}, but this service does not offer ${features[feature]}`,
    address: resource.address,
    ...located(resource, path),
    hint: path === '' ? 'remove it from team-access' : `remove ${path}`,
  };
}

/** @param isDeclared a tombstone of the files, or of an undo, which has no line */
function safeDeletion(change: Change, isDeclared: boolean): Diagnostic[] {
  if (change.kind !== 'workspace' || change.action !== 'delete' || change.deleteMode === 'force') return [];
  const { address, location } = change;
  return [
    {
      severity: 'error',
      code: 'not-offered',
      message: `${address} cannot be deleted safely: this service does not offer safe delete`,
      address,
      ...(location && { location }),
      hint: modeHints[deletionSource(isDeclared, location)].force,
    },
  ];
}
