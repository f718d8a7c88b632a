import { hasErrors, usageError } from '../../model/diagnostic.ts';
import type { AcceptResult } from '../../model/results.ts';
import { jsonText } from '../../report/escape-controls.ts';
import { acceptDocument, acceptSummary, acceptText, unifiedDiff } from '../../report/results.ts';
import { placedDiagnostics } from '../../report/text/diagnostics-text.ts';
import { acceptDifferences } from '../../run/accept-differences.ts';
import { shownFrom } from '../../run/report-entry.ts';
import { defineCommand, listArgument } from '../command.ts';
import { configFlag, connectionFlags, documentFlags, listFlag, switchFlag, textFlag } from '../flags.ts';
import type { Session } from '../session.ts';

export default defineCommand({
  details:
    'Reads the live state and changes the lines that declare the accepted values, so that the next plan keeps them. Comments and style are kept. A value that a layer declares becomes a value of the workspace itself.',
  arguments: {
    addresses: listArgument('addresses, such as workspace.network-prod; * matches any characters'),
  },
  flags: {
    ...documentFlags,
    ...connectionFlags,
    all: switchFlag('accept every difference, and declare live workspaces in scope that no file declares'),
    field: listFlag('field', 'accept only this field, such as auto-apply (repeatable)'),
    until: textFlag(
      'date',
      'write an exception until this date with the live value, and keep the declared value',
    ),
    reason: textFlag('text', 'with --until: why the live value is accepted'),
    dryRun: switchFlag('print the changes as a unified diff without writing them'),
    ...configFlag,
  },
  examples: [
    'attune accept workspace.network-prod',
    'attune accept workspace.network-prod --field auto-apply --field tags',
    'attune accept --all --dry-run',
    'attune accept workspace.network-prod --field auto-apply --until 2026-12-15 --reason INC-7',
    'attune accept workspace.network-prod --config teams/network',
  ],
  learnMore: 'docs/guides/drift.md',
  run: async ({ addresses }, { all, config, dryRun, field, until, reason }, session) => {
    if (all ? addresses.length > 0 : addresses.length === 0) {
      throw usageError(
        'accept requires either addresses or --all',
        'run `attune drift` to list the addresses, then give one or more of them, or --all',
      );
    }
    const options = { file: config, fields: field, until, reason, dryRun };
    const result = await acceptDifferences(all ? ['*'] : addresses, options, session);
    if (session.flags.format === 'json') session.io.stdout.write(jsonText(acceptDocument(result)));
    else printResult(result, session);
    return hasErrors(result.diagnostics) ? 1 : 0;
  },
});

function printResult(result: AcceptResult, { io, console }: Session): void {
  const path = shownFrom(io.cwd, result.folder);
  if (result.isDryRun && result.files.length > 0) {
    console.result(unifiedDiff(result.files, { paint: console.paint, path }));
    console.inform(acceptSummary(result));
  } else console.text(acceptText(result, path));
  console.diagnostics(placedDiagnostics([{ ...result, path }]));
}
