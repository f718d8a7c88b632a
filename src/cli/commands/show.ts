import { isMade } from '../../model/apply-result.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import type { ReportEntry } from '../../report/report.ts';
import { savedReport } from '../../run/saved-report.ts';
import { defineCommand, listArgument } from '../command.ts';
import { emit, textOf } from '../emit.ts';
import { changeOutputFlags, ignoredFlags, policyFlags } from '../flags.ts';

export default defineCommand({
  details:
    'Renders files that were written with `attune plan --out`, or by plan, drift or apply with `--format json` or `--report FILE.json`. Several files give one report of all organizations, with totals. A failed run is shown as failed. Sends no request and needs no token. Exits with 1 if a file is not such a document, or if it has errors or changes that were not made. Otherwise exits with 0, also if there are changes or drift.',
  arguments: { files: listArgument('saved plans and JSON documents of plan, drift and apply', '<x...>') },
  flags: { ...policyFlags, ...changeOutputFlags, ...ignoredFlags },
  examples: [
    'attune show plan.json',
    'attune show plan.json --policy guardrails.yaml',
    'attune show plan.json --format html > plan.html',
    'attune show --report all.html -- drift-*.json',
  ],
  learnMore: 'docs/guides/fan-out.md',
  report: 'plan',
  run: async ({ files }, _flags, session) => {
    const report = await savedReport(files, session);
    // As the apply itself, whose result follows its plan.
    if (report.kind === 'apply' && session.flags.format === 'text')
      session.console.result(await textOf({ ...report, kind: 'plan' }, session));
    await emit(session, report);
    return report.entries.some(isFailed) ? 1 : 0;
  },
});

function isFailed({ diagnostics, result }: ReportEntry): boolean {
  return hasErrors(diagnostics) || (result?.changes.some((change) => !isMade(change)) ?? false);
}
