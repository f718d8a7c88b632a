import { resolve } from 'node:path';
import { isInside, realPathOutside } from '../model/files.ts';
import { locateValue } from './files/source.ts';
import type { Loading } from './problems.ts';
import type { RawFile } from './schema/language.ts';
import { quote } from './text.ts';

const hints = {
  data: 'write a path inside the folder, such as .attune/embedded.json',
  seed: 'move the file into the folder',
} as const;

/**
 * Reports files of the embedded service outside the folder of the root file, also through links: a change under review can
 * bring such a path, and the service writes `data`.
 */
export async function checkServicePaths(
  { service }: RawFile,
  { folder, loading }: { readonly folder: string; readonly loading: Loading },
): Promise<void> {
  for (const key of ['data', 'seed'] as const) {
    const written = service?.[key];
    if (service === undefined || written === undefined) continue;
    const path = resolve(folder, written);
    if (await isFileInside(path, folder)) continue;
    loading.problems.add({
      code: 'path-outside',
      message: `service.${key} ${quote(written)} is outside the folder of the root file`,
      hint: hints[key],
      location: locateValue(loading.origins, service, key),
    });
  }
}

/** A path that the system cannot resolve is reported when it is opened. */
async function isFileInside(path: string, folder: string): Promise<boolean> {
  if (!isInside(folder, path) || resolve(folder) === path) return false;
  return (await realPathOutside(path, folder).catch(() => undefined)) === undefined;
}
