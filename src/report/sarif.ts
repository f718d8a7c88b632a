import { createHash } from 'node:crypto';
import type { SourceLocation } from '../model/diagnostic.ts';
import { jsonText } from './escape-controls.ts';
import { findingLines, findingsOf } from './findings.ts';
import { type Item, policyRule } from './items.ts';
import type { Report } from './report.ts';
import { reportView } from './report-view.ts';

/** SARIF 2.1.0 for code scanning: one run, with a result per diagnostic and per change. */
export function renderSarif(report: Report): string {
  const view = reportView(report, { full: true, byAction: true });
  const { kind, entries } = view;
  const findings = entries.flatMap((entry, root) =>
    findingsOf(view, root).map((finding) => ({
      finding,
      identity: identityOf(finding, entry.address === undefined ? '' : entry.organization),
    })),
  );
  const policies = entries.flatMap((entry) => entry.policies.map(({ id }) => policyRule(id)));
  const ruleIds = [...new Set([...findings.map(({ finding }) => finding.rule), ...policies])].sort();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Attune', rules: ruleIds.map(sarifRule) } },
        automationDetails: { id: `attune/${kind}/` },
        columnKind: 'utf16CodeUnits',
        results: results(findings, ruleIds),
      },
    ],
  };
  return jsonText(log);
}

/** Identifies a finding across runs. It excludes lines, because they change. */
function identityOf({ diagnostic, rule, head, place, address }: Item, organization = ''): readonly unknown[] {
  return diagnostic ? [organization, rule, place?.file ?? '', head] : [organization, rule, address];
}

interface Identified {
  readonly finding: Item;
  readonly identity: readonly unknown[];
}

function results(findings: readonly Identified[], ruleIds: readonly string[]): unknown[] {
  const indexes = new Map(ruleIds.map((id, index) => [id, index]));
  const seen = new Map<string, number>();
  return findings.map(({ finding, identity }) => {
    const { rule, level, place } = finding;
    const print = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
    // Findings that differ only in their lines are distinguished by their order.
    const nth = (seen.get(print) ?? 0) + 1;
    seen.set(print, nth);
    return {
      ruleId: rule,
      ruleIndex: indexes.get(rule),
      level,
      message: { text: messageText(findingLines(finding).join('\n')) },
      ...(place && { locations: [location(place)] }),
      partialFingerprints: { 'attune/v1': `${print}:${nth}` },
    };
  });
}

/** In a message `[text](target)` is a link and `{0}` is a placeholder of an argument (SARIF 2.1.0, 3.11.5 and 3.11.6). */
function messageText(text: string): string {
  return text.replaceAll('](', '\\](').replace(/\{(\d+)\}/g, '{{$1}}');
}

function location({ file, line, column }: SourceLocation): unknown {
  return {
    physicalLocation: {
      artifactLocation: { uri: relativeUri(file), uriBaseId: '%SRCROOT%' },
      region: { startLine: line, startColumn: column },
    },
  };
}

function relativeUri(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}

/** A rule of a SARIF log: what a result is an instance of. */
interface SarifRule {
  readonly id: string;
  readonly shortDescription: { readonly text: string };
  readonly help: { readonly text: string };
}

const changeRules: Readonly<Record<string, { readonly short: string; readonly help: string }>> = {
  'change-create': {
    short: 'A declared resource does not exist.',
    help: 'Apply creates it. If it must not exist, remove it from the configuration.',
  },
  'change-update': {
    short: 'A resource differs from its declaration.',
    help: 'Apply sets the declared values. To keep a live value, change the configuration.',
  },
  'change-delete': {
    short: 'A resource exists that must not exist.',
    help: 'Apply deletes it or revokes the access. To keep it, declare it.',
  },
  risk: {
    short: 'An effect of the plan needs attention.',
    help: 'Check that the effect is intended before you apply the plan.',
  },
  'no-longer-declared': {
    short: 'The base declares something that the files no longer declare, and it stays on the service.',
    help: 'Declare it, or remove it from the service, for example with a tombstone (`state: absent`).',
  },
  undeclared: {
    short: 'A live workspace in scope, or a grant of a project whose access is declared, is not declared.',
    help: 'Declare it, narrow the scope, or set `prune.workspaces` or `prune.team-access`.',
  },
};

/** A rule that is neither a change nor a policy is the code of a diagnostic. */
function sarifRule(id: string): SarifRule {
  const policy = id.startsWith(policyRule('')) ? id.slice(policyRule('').length) : undefined;
  const { short, help } = changeRules[id] ??
    (policy === undefined ? undefined : policyText(policy)) ?? {
      short: `Diagnostic: ${id.replaceAll('-', ' ')}.`,
      help: `See ${id} in the diagnostics reference of Attune (docs/diagnostics.md).`,
    };
  return { id, shortDescription: { text: short }, help: { text: help } };
}

function policyText(id: string): { readonly short: string; readonly help: string } {
  return {
    short: `The plan violates policy ${id}.`,
    help: 'Change the configuration so that it meets the policy. Each result names the line that requires it.',
  };
}
