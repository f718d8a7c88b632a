import { join } from 'node:path';
import type { Configuration } from './configuration.ts';

/** Whether two configurations are about one organization of one service, as far as their files tell. */
export function isSameOrganization(a: Configuration, b: Configuration): boolean {
  return a.desired.organization === b.desired.organization && isSameService(a, b);
}

function isSameService(a: Configuration, b: Configuration): boolean {
  const { address } = a.service;
  // Without an address the same one is given from outside.
  if (address === undefined || b.service.address === undefined) return true;
  return address === b.service.address && (address !== 'embedded' || embeddedData(a) === embeddedData(b));
}

/** The file where the embedded service of a configuration keeps its data. */
export function embeddedData({ service, folder }: Pick<Configuration, 'service' | 'folder'>): string {
  return service.data ?? join(folder, '.attune', 'embedded.json');
}
