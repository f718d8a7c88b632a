import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfiguration, terraformDocument, terraformExport } from '../../src/cdktf/index.ts';
import { type Case, forAllPairs } from '../properties/pairs.ts';
import { folderWith } from '../support/attune.ts';
import { exportProblems, lostSettings, type Written } from '../support/terraform/check-export.ts';
import { terraformIn, terraformVersion } from '../support/terraform/terraform.ts';

/** Applies a generated configuration and exports it; undefined where the service refused a part of it. */
async function exportOf({ configuration, planned, client, apply }: Case) {
  const { changes } = await apply(planned);
  if (changes.some(({ result }) => result !== 'done')) return undefined;
  const read = await readConfiguration(configuration, client);
  const exported = terraformExport(read.configuration, { live: read.live });
  const text = JSON.stringify(terraformDocument(exported));
  return { exported, configuration: read.configuration, text };
}

describe('generated organizations, as they are declared', () => {
  test('are exported in documented arguments, with every setting in them or named', async () => {
    let exports = 0;
    await forAllPairs({ fast: 20, soak: 60 }, async (one) => {
      const result = await exportOf(one);
      if (result === undefined) return;
      exports += 1;
      const written = JSON.parse(result.text) as Written;
      expect(result.exported.differing).toEqual([]);
      expect(exportProblems(written)).toEqual([]);
      const told = result.exported.shortfalls.map(({ message }) => message);
      expect(lostSettings(result.configuration, written, told)).toEqual([]);
    });
    expect(exports).toBeGreaterThan(5);
  });

  test.skipIf(terraformVersion === undefined)(
    'are imported by terraform without a change (skipped where it is not installed)',
    async () => {
      const folder = await folderWith({});
      await forAllPairs({ fast: 6, soak: 6 }, async (one) => {
        const result = await exportOf(one);
        if (result === undefined) return;
        await writeFile(join(folder, 'acme.tf.json'), result.text);
        const run = await terraformIn(folder, { url: one.service.url, token: 'test-token' });
        const { code, output } = await run('terraform init > init.txt && terraform plan');
        expect([code, /^(?:Plan:|No changes).*$/m.exec(output)?.[0] ?? output]).toEqual([
          0,
          expect.stringMatching(
            /^(?:Plan: \d+ to import, 0 to add, 0 to change, 0 to destroy\.|No changes.*)$/,
          ),
        ]);
      });
    },
  );
});
