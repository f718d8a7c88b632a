import { expect, test } from 'vitest';
import { renderSarif } from '../../src/report/findings.ts';
import type { Report } from '../../src/report/report.ts';
import { hostileReports } from './fixtures/hostile-plan.ts';

/** As much of the format as is relied on; the parts are named as in SARIF 2.1.0, chapter 3. */
interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations?: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number; readonly startColumn: number };
    };
  }[];
}

function run(report: Report) {
  const log = JSON.parse(renderSarif(report));
  expect(log.version).toBe('2.1.0');
  expect(log.runs).toHaveLength(1);
  const [{ tool, results }] = log.runs;
  return { rules: tool.driver.rules as { id: string }[], results: results as Result[] };
}

test.each(['validate', 'plan', 'drift', 'apply'] as const)(
  'the SARIF results of %s refer to rules and files',
  async (kind) => {
    const { rules, results } = run((await hostileReports())[kind]);
    expect(results.length).toBeGreaterThan(0);
    for (const { ruleId, ruleIndex, level, message, locations } of results) {
      expect(rules[ruleIndex]?.id).toBe(ruleId);
      expect(['error', 'warning', 'note']).toContain(level);
      expect(message.text).not.toBe('');
      for (const { physicalLocation } of locations ?? []) {
        // No scheme, no host, nothing absolute; and a URI to begin with.
        const url = new URL(physicalLocation.artifactLocation.uri, 'https://base.example/root/');
        expect(url.href).toMatch(/^https:\/\/base\.example\/root\/infra\/[^?#]+$/);
        expect(physicalLocation.region.startLine).toBeGreaterThan(0);
        expect(physicalLocation.region.startColumn).toBeGreaterThan(0);
      }
    }
  },
);
