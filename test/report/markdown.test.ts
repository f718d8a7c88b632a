import { expect, test } from 'vitest';
import { codeSpan, renderMarkdown } from '../../src/report/markdown.ts';
import { isSoak } from '../support/cases.ts';
import { type Amounts, largeReport } from './fixtures/large-plan.ts';

const bytes = (text: string) => Buffer.byteLength(text);

/** The soak tier takes more changes. */
const size = isSoak ? 10_000 : 700;

test.each<Amounts>([
  { update: size },
  { update: size, delete: 10 },
  { create: 500, update: 500, delete: 400, access: 400 },
  { delete: size },
  { access: 2 * size },
  { errors: size, delete: size, access: size },
])('a comment of %o has at least 45,000 and at most 55,000 bytes', (amounts) => {
  const text = renderMarkdown(largeReport(amounts), { full: true });
  expect(bytes(text)).toBeLessThanOrEqual(55_000);
  expect(bytes(text)).toBeGreaterThan(45_000);
  expect(text).toContain('**Omitted to fit the size of a comment:**');
  // Every fold that is opened is closed, every fence too.
  expect(text.split('<details>').length).toBe(text.split('</details>').length);
  expect((text.match(/^```/gm) ?? []).length % 2).toBe(0);
});

test('a comment of many organizations has at most 55,000 bytes', () => {
  const organizations = Array.from({ length: 150 }, (_, index) => `acme-${index}`);
  const text = renderMarkdown(largeReport({ update: 10, delete: 3, access: 3 }, 'plan', organizations));
  expect(bytes(text)).toBeLessThanOrEqual(55_000);
  expect(text).toContain('under "Organizations"');
});

test('a comment omits updates before deletions and effects, and counts them', () => {
  const text = renderMarkdown(largeReport({ update: 1000, delete: 100, access: 100 }), { full: true });
  expect(text).toContain('### To delete (100)');
  expect(text).toContain('### Effects (100)');
  const shown = Number(/To update \((\d+) of 1000\)/.exec(text)?.[1]);
  expect(text).toContain(
    `${1000 - shown} under "To update". The complete report is in the output of \`attune plan\``,
  );
});

test('a comment shows deletions and effects beside any number of errors', () => {
  const text = renderMarkdown(largeReport({ errors: 1000, delete: 1, access: 1 }));
  expect(text).toContain('### To delete (1)');
  expect(text).toContain('### Effects (1)');
});

test('the comment of several organizations names each part', () => {
  const text = renderMarkdown(largeReport({ update: 1, delete: 1 }, 'plan', ['acme', 'acme-<emea>']));
  expect(text).toContain('<!-- attune:plan:acme,acme-_emea_ -->\n## Attune: plan\n');
  expect(text).toContain('### `acme-<emea>`: To delete (1)');
  expect(text).toContain('<summary><code>acme-&lt;emea&gt;</code>: To update (1)</summary>');
});

test('code in a comment has a fence that its text cannot close', () => {
  expect(codeSpan('a')).toBe('`a`');
  expect(codeSpan('a`b')).toBe('``a`b``');
  expect(codeSpan('`a``')).toBe('``` `a`` ```');
  expect(codeSpan(' a ')).toBe('`  a  `');
  expect(codeSpan(' ')).toBe('(empty)');
});
