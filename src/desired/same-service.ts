import { join } from 'node:path';
import { comparableAddress, embedded } from '../service/address.ts';
import type { Configuration } from './configuration.ts';

/** Whether two configurations are about one organization of one service, however their files write it. */
export function isSameOrganization(a: Configuration, b: Configuration): boolean {
  return a.desired.organization.toLowerCase() === b.desired.organization.toLowerCase() && isSameService(a, b);
}

function isSameService(a: Configuration, b: Configuration): boolean {
  const [one, other] = [serviceKey(a), serviceKey(b)];
  // An address that is missing in a file is the same for all files of the run.
  return one === undefined || other === undefined || one === other;
}

function serviceKey(configuration: Configuration): string | undefined {
  const { address } = configuration.service;
  if (address === embedded) return `${embedded} ${embeddedData(configuration)}`;
  return address === undefined ? undefined : comparableAddress(address);
}

/** The file where the embedded service of a configuration keeps its data. */
export function embeddedData({ service, folder }: Pick<Configuration, 'service' | 'folder'>): string {
  return service.data ?? join(folder, '.attune', 'embedded.json');
}
