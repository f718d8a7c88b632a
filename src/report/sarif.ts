import { createHash } from 'node:crypto';
import type { SourceLocation } from '../model/diagnostic.ts';
import { jsonText } from './escape-controls.ts';
import { findingLines, findingsOf } from './findings.ts';
import { type Item, policyRule } from './items.ts';
import type { Report } from './report.ts';
import { reportView } from './report-view.ts';

export function renderSarif(report: Report): string {
  const view = reportView(report, { full: true, byAction: true });
  const { kind, entries } = view;
  const found = entries.map((_, root) => findingsOf(view, root));
  const policies = entries.flatMap((entry) => entry.policies.map(({ id }) => policyRule(id)));
  const ruleIds = [...new Set([...found.flat().map(({ rule }) => rule), ...policies])].sort();
  const seen = new Map<string, number>();
  const results = entries.flatMap(({ address, organization = '' }, root) =>
    (found[root] ?? []).map((finding) => {
      const { rule, level, place } = finding;
      const print = fingerprint(finding, address === undefined ? '' : organization);
      // Findings that differ only in their lines are distinguished by their order.
      const nth = (seen.get(print) ?? 0) + 1;
      seen.set(print, nth);
      return {
        ruleId: rule,
        ruleIndex: ruleIds.indexOf(rule),
        level,
        message: { text: messageText(findingLines(finding).join('\n')) },
        ...(place && { locations: [location(place)] }),
        partialFingerprints: { 'attune/v1': `${print}:${nth}` },
      };
    }),
  );
  return jsonText({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Attune', rules: ruleIds.map(sarifRule) } },
        automationDetails: { id: `attune/${kind}/` },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  });
}

/** Identifies a finding across runs. It excludes lines, because they change. */
function fingerprint({ diagnostic, rule, head, place, address }: Item, organization: string): string {
  const identity = diagnostic ? [organization, rule, place?.file ?? '', head] : [organization, rule, address];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex');
}

/** In a message `[text](target)` is a link and `{0}` is a placeholder of an argument (SARIF 2.1.0, 3.11.5 and 3.11.6). */
function messageText(text: string): string {
  return text.replaceAll('](', '\\](').replace(/\{(\d+)\}/g, '{{$1}}');
}

function location({ file, line, column }: SourceLocation): unknown {
  return {
    physicalLocation: {
      artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' },
      region: { startLine: line, startColumn: column },
    },
  };
}

const ruleTexts: Readonly<Record<string, readonly [short: string, help: string]>> = {
  'change-create': [
    'A declared resource does not exist.',
    'Apply creates it. If it must not exist, remove it from the configuration.',
  ],
  'change-update': [
    'A resource differs from its declaration.',
    'Apply sets the declared values. To keep a live value, change the configuration.',
  ],
  'change-delete': [
    'A resource exists that must not exist.',
    'Apply deletes it or revokes the access. To keep it, declare it.',
  ],
  risk: [
    'An effect of the plan needs attention.',
    'Check that the effect is intended before you apply the plan.',
  ],
  'no-longer-declared': [
    'The base declares something that the files no longer declare, and it stays on the service.',
    'Declare it, or remove it from the service, for example with a tombstone (`state: absent`).',
  ],
  undeclared: [
    'A live workspace in scope, or a grant of a project whose access is declared, is not declared.',
    'Declare it, narrow the scope, or set `prune.workspaces` or `prune.team-access`.',
  ],
};

/** A rule that is neither a change nor a policy is the code of a diagnostic. */
function sarifRule(id: string): unknown {
  const [, policy] = /^policy\/(.*)$/s.exec(id) ?? [];
  const [short, help] =
    policy === undefined
      ? (ruleTexts[id] ?? [
          `Diagnostic: ${id.replaceAll('-', ' ')}.`,
          `See ${id} in the diagnostics reference of Attune (docs/diagnostics.md).`,
        ])
      : [
          `The plan violates policy ${policy}.`,
          'Change the configuration so that it meets the policy. Each result names the line that requires it.',
        ];
  return { id, shortDescription: { text: short }, help: { text: help } };
}
