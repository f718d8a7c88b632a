import { createHash } from 'node:crypto';
import type { Severity } from '../model/diagnostic.ts';
import type { SourceLocation } from '../model/location.ts';
import { jsonText } from './json-text.ts';
import type { Report } from './report.ts';
import { sarifRule } from './sarif-rules.ts';
import { type ToldChange, type ToldDiagnostic, toldEntry } from './told-entry.ts';

interface Finding {
  readonly ruleId: string;
  readonly level: Severity;
  readonly lines: readonly string[];
  readonly place?: SourceLocation;
  /** What makes it the same finding in the next run; lines move, so they are no part of it. */
  readonly identity: readonly string[];
}

/** SARIF 2.1.0 for code scanning: one run, with a result per diagnostic and per change. */
export function renderSarif({ kind, entries }: Report): string {
  const findings = entries.flatMap((entry) => {
    const { organization, diagnostics, changes, undeclared } = toldEntry(kind, entry);
    return [
      ...diagnostics.map((diagnostic) => diagnosticFinding(organization, diagnostic)),
      ...[...changes, ...undeclared].map((change) => changeFinding(organization, change)),
    ];
  });
  const ruleIds = [...new Set(findings.map(({ ruleId }) => ruleId))].sort();
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

function diagnosticFinding(organization: string, diagnostic: ToldDiagnostic): Finding {
  const { code, severity, message, hint, place } = diagnostic;
  return {
    ruleId: code,
    level: severity,
    lines: [message, ...(hint === undefined ? [] : [`hint: ${hint}`])],
    ...(place && { place }),
    identity: [organization, code, place?.file ?? '', message],
  };
}

function changeFinding(organization: string, change: ToldChange): Finding {
  const { action, address, level, title, lines, place } = change;
  const ruleId = action === 'none' ? 'undeclared' : `change-${action}`;
  return {
    ruleId,
    level,
    lines: [title, ...lines],
    ...(place && { place }),
    identity: [organization, ruleId, address],
  };
}

function results(findings: readonly Finding[], ruleIds: readonly string[]): unknown[] {
  const indexes = new Map(ruleIds.map((id, index) => [id, index]));
  const seen = new Map<string, number>();
  return findings.map(({ ruleId, level, lines, place, identity }) => {
    const print = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
    // Two findings in one run may be alike in all but their lines; they are told apart by their order.
    const nth = (seen.get(print) ?? 0) + 1;
    seen.set(print, nth);
    return {
      ruleId,
      ruleIndex: indexes.get(ruleId),
      level,
      message: { text: messageText(lines.join('\n')) },
      ...(place && { locations: [location(place)] }),
      partialFingerprints: { 'attune/v1': `${print}:${nth}` },
    };
  });
}

/** In a message `[text](target)` is a link and `{0}` stands for an argument (SARIF 2.1.0, 3.11.5 and 3.11.6). */
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
