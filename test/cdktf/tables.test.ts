import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { readConfiguration, terraformDocument, terraformExport } from '../../src/cdktf/index.ts';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { loadConfig } from '../../src/index.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { exportProblems, type Written } from '../../tools/terraform-provider/check-export.ts';
import { folderWith, serviceWith } from '../support/attune.ts';
import { mappingIn, type TextRow, testTextTables } from '../support/text-tables.ts';

/*
 * The export of `files` (without their first two lines) at noon of 2026-11-23. As YAML: `seed` of the organization, `service` with options of the
 * emulator, `only` with a pattern of addresses. A line of `show` is a resource with the arguments to print; one with `?` is printed as ignored or not.
 */
testTextTables(join(import.meta.dirname, 'tables'), { export: exported });

async function exported(row: TextRow): Promise<string> {
  const { sections } = row;
  const yaml = (title: string): unknown => parse(mappingIn(row, title));
  const options = yaml('service') as EmulatorOptions;
  const service = await serviceWith({
    ...options,
    seed: { organization: 'acme', ...(yaml('seed') as object) },
  });
  const client = createServiceClient({ address: new URL(service.url), token: 'test-token' });
  onTestFinished(() => client.close());
  const folder = await folderWith({
    'attune.yaml': `attune: 1\norganization: acme\n${sections.files?.trim()}\n`,
  });
  const { configurations, diagnostics } = await loadConfig('attune.yaml', { cwd: folder });
  const [declared] = configurations;
  if (declared === undefined) throw new Error(JSON.stringify(diagnostics));
  const now = new Date('2026-11-23T12:00:00Z');
  const { configuration, live } = await readConfiguration(declared, client, { now });
  const only = sections.only?.trim();
  const chosen = (address: string) => only === undefined || address === only;
  const { unsupported, differing, ...rest } = terraformExport(configuration, { live, now, chosen });
  const written = JSON.parse(
    JSON.stringify(terraformDocument({ unsupported, differing, ...rest })),
  ) as Written;
  const bodies: Record<string, Record<string, Record<string, unknown>> | undefined> = written.resource ?? {};
  const imported = new Set(written.import?.map(({ to }) => to));
  const names = Object.entries(bodies).flatMap(([type, all]) =>
    Object.keys(all ?? {}).map((name) => `${type}.${name}`),
  );
  return [
    ...names.map((name) => `${name}${imported.has(name) ? ' is imported' : ''}`),
    ...(sections.show?.trim().split('\n') ?? []).flatMap((show) => {
      const [address = '', ...keys] = show.split(' ');
      const [type = '', name = ''] = address.split('.');
      const { lifecycle, ...body } = bodies[type]?.[name] ?? {};
      const { ignore_changes: ignored = [] } = (lifecycle ?? {}) as {
        readonly ignore_changes?: readonly string[];
      };
      return keys.map((key) => {
        const argument = key.replace('?', '');
        if (key === argument) return `${address} ${key}: ${JSON.stringify(body[key]) ?? '(not written)'}`;
        return `${address} ${argument}: ${ignored.includes(argument) ? 'ignored' : 'not ignored'}`;
      });
    }),
    ...(differing.length > 0 ? [`pending: ${differing.join(', ')}`] : []),
    ...unsupported.map(({ code }, index) => `${code}: ${written['//']['not-carried-over'][index]}`),
    ...exportProblems(written),
  ]
    .join('\n')
    .replaceAll(/ws-\w{16}/g, 'ws-<id>');
}
