import { expect, test } from 'vitest';
import { exportProblems, lostSettings, type Written } from '../../tools/terraform-provider/check-export.ts';
import { forAllPairs } from '../properties/pairs.ts';
import { exportOf } from './export-of.ts';

test('the export of a generated organization has documented arguments only, and contains or reports every setting', async () => {
  let exports = 0;
  await forAllPairs({ fast: 2, soak: 55 }, async (one) => {
    const result = await exportOf(one);
    if (result === undefined) return;
    exports += 1;
    const written = JSON.parse(result.text) as Written;
    expect(result.exported.differing).toEqual([]);
    expect(exportProblems(written)).toEqual([]);
    const reported = result.exported.unsupported.map(({ message }) => message);
    expect(lostSettings(result.configuration, written, reported)).toEqual([]);
  });
  expect(exports).toBeGreaterThan(0);
});
