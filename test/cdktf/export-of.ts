import { readConfiguration, terraformDocument, terraformExport } from '../../src/cdktf/index.ts';
import type { Case } from '../properties/pairs.ts';

/** Applies a generated configuration and exports it; undefined where the service refused a part of it. */
export async function exportOf({ configuration, planned, client, apply }: Case) {
  const { changes } = await apply(planned);
  if (changes.some(({ result }) => result !== 'done')) return undefined;
  const read = await readConfiguration(configuration, client);
  const exported = terraformExport(read.configuration, { live: read.live });
  const text = JSON.stringify(terraformDocument(exported));
  return { exported, configuration: read.configuration, text };
}
