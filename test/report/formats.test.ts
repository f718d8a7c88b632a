import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { plain } from '../../src/report/paint.ts';
import { renderReport } from '../../src/report/render-report.ts';
import { type ReportFormat, reportExtensions, reportFormats } from '../../src/report/report.ts';
import { compactJson } from '../support/compact-json.ts';
import { expectGolden } from './expect-golden.ts';
import { hostileReports } from './fixtures/hostile-plan.ts';

/** What every format makes of names and values that are out to be taken for something else. */
const formats = reportFormats.filter((format) => format !== 'json' && format !== 'html');
const kinds = ['validate', 'plan', 'drift', 'apply'] as const;
/** With a golden file; the report tables have the outcomes of an apply and of a drift. */
const golden: Record<(typeof kinds)[number], readonly ReportFormat[]> = {
  plan: formats,
  validate: formats.filter((format) => format !== 'sarif'),
  drift: [],
  apply: [],
};

describe.each(kinds)('a hostile %s', (kind) => {
  const rendered = async (format: ReportFormat) =>
    renderReport((await hostileReports())[kind], format, { paint: plain });

  test.each(golden[kind])(
    `the report of a hostile ${kind} is as in its golden file as %s`,
    async (format) => {
      const text = await rendered(format);
      expect(text).toBe(await rendered(format));
      const shown = format === 'sarif' ? `${compactJson(JSON.parse(text))}\n` : text;
      expectGolden(`hostile-${kind}${reportExtensions[format] ?? `.${format}.txt`}`, shown);
    },
  );

  test.each(formats)(`the report of a hostile ${kind} has no control character as %s`, async (format) => {
    expect(await rendered(format)).not.toMatch(/[^\n\P{Cc}]|[\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
  });

  test(`the report of a hostile ${kind} has commands of a job only in the format github`, async () => {
    for (const format of formats.filter((one) => one !== 'github'))
      expect(await rendered(format)).not.toMatch(/^\s*::|##(?:vso)?\[/m);
    expect(await rendered('github')).toMatch(/^(::(error|warning|notice) [^\n:]*::[^\n]*\n)+$/);
  });

  test(`the JUnit report of a hostile ${kind} is XML`, async () => {
    const cases: string[] = [];
    const parser = new SaxesParser();
    parser.on('opentag', ({ name }) => cases.push(name));
    parser.write(await rendered('junit')).close();
    expect([...new Set(cases)].sort()).toEqual(
      expect.arrayContaining(['testcase', 'testsuite', 'testsuites']),
    );
    expect(cases.filter((name) => name === 'script' || name === 'i')).toEqual([]);
  });

  test(`the SARIF results of a hostile ${kind} refer to rules and files`, async () => {
    const { version, runs } = JSON.parse(await rendered('sarif'));
    const [{ tool, results }] = runs;
    expect([version, runs.length, results.length > 0]).toEqual(['2.1.0', 1, true]);
    for (const { ruleId, ruleIndex, level, message, locations = [] } of results) {
      expect([tool.driver.rules[ruleIndex]?.id, message.text]).toEqual([ruleId, expect.stringMatching(/./)]);
      expect(['error', 'warning', 'note']).toContain(level);
      for (const { physicalLocation } of locations) {
        // No scheme, no host, nothing absolute; and a URI to begin with.
        const url = new URL(physicalLocation.artifactLocation.uri, 'https://base.example/root/');
        expect(url.href).toMatch(/^https:\/\/base\.example\/root\/infra\/[^?#]+$/);
        const { startLine, startColumn } = physicalLocation.region;
        expect(Math.min(startLine, startColumn)).toBeGreaterThan(0);
      }
    }
  });

  test(`the Markdown report of a hostile ${kind} has only its own Markdown`, async () => {
    const text = await rendered('markdown');
    const own = text
      .replace(/^(`{3,})(?:diff|text)\n[\s\S]*?\n\1$/gm, '[block]')
      .replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '[code]')
      .replace(/^<!-- attune:[a-z]+:[a-z]* -->$/m, '[marker]')
      .replace(/<\/?(?:details|summary)>/g, '');
    expect(own).not.toMatch(/[@<>#]\w|https?:|-->|=name|=alias|=cmd/);
  });
});
