import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { terraformIn, terraformVersion } from '../../../tools/terraform-provider/terraform.ts';
import { exportOf } from '../../cdktf/export-of.ts';
import { forAllPairs } from '../../properties/pairs.ts';
import { folderWith } from '../../support/attune.ts';

test.skipIf(terraformVersion === undefined)(
  'terraform imports the export of a generated organization without a change',
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
