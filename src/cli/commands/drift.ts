import { hasErrors } from '../../model/diagnostic.ts';
import { hasDrift } from '../../report/figures.ts';
import { compareRoots } from '../../run/compare-roots.ts';
import { defineCommand } from '../command.ts';
import { emit } from '../emit.ts';
import { hidden } from '../flag.ts';
import {
  clockFlags,
  comparisonFlags,
  connectionFlags,
  limitFlags,
  onlyFlag,
  rootFiles,
  snapshotFlag,
} from '../flags.ts';

export default defineCommand({
  details:
    'Compares the live state with the configuration and reports the differences. If the configuration has a scope, live workspaces in scope that are not declared are reported, too. Never writes to the service.',
  arguments: rootFiles,
  flags: {
    ...comparisonFlags,
    ...onlyFlag,
    ...connectionFlags,
    ...clockFlags,
    // Nothing is written. Accepted so that scripts can share flags with `plan`.
    ...hidden(limitFlags),
    ...snapshotFlag,
  },
  examples: ['attune drift', 'attune drift --format json > drift.json'],
  learnMore: 'docs/guides/ci.md',
  report: 'drift',
  run: async ({ files }, { snapshot }, session) => {
    const { planned, entries } = await compareRoots(files, session, { purpose: 'drift', snapshot });
    await emit(session, { kind: 'drift', entries });
    if (entries.some(({ diagnostics }) => hasErrors(diagnostics))) return 1;
    return planned.some(({ plan }) => hasDrift(plan)) ? 2 : 0;
  },
});
