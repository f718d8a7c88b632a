import { usageError } from '../../model/diagnostic.ts';
import { pathWord } from '../../model/text.ts';
import { jsonText } from '../../report/escape-controls.ts';
import { nothingToUndo } from '../../report/figures.ts';
import { journalsText } from '../../report/results.ts';
import { checkApplyOptions } from '../../run/apply-journals.ts';
import { writablePath } from '../../run/files/write-file.ts';
import { entriesOfPlans } from '../../run/report-entry.ts';
import { hasConflicts } from '../../run/revert-runs.ts';
import { readJournals } from '../../run/undo-journals.ts';
import { withPlans } from '../../run/with-plans.ts';
import { defineCommand, listArgument, optionalArgument } from '../command.ts';
import {
  appFlag,
  changeOutputFlags,
  type FlagValues,
  freezeFlags,
  journalFlags,
  planningFlags,
  switchFlag,
  textFlag,
} from '../flags.ts';
import type { Session } from '../session.ts';
import { applyPlans } from './apply.ts';
import { reportPlans } from './plan.ts';

const flags = {
  ...appFlag,
  ...changeOutputFlags,
  ...planningFlags,
  out: textFlag('file', 'save the plan for `attune undo --plan` instead of applying it'),
  plan: textFlag('file', 'apply this saved plan; fails if planning it again gives other changes'),
  detailedExitcode: switchFlag('plan only, and exit with 2 if there are changes to revert'),
  last: switchFlag('revert the newest journal of each organization'),
  list: switchFlag('list the journals and the command that undoes each'),
  ...freezeFlags,
  ...journalFlags,
  force: switchFlag('delete workspaces that the run created even if they manage resources'),
  yes: switchFlag('apply without asking for confirmation'),
};
type UndoFlags = FlagValues<typeof flags>;
type FlagName = keyof typeof flags;

const ofList: readonly FlagName[] = ['list', 'format', 'quiet', 'noColor', 'verbose', 'address'];
const withList = (Object.keys(flags) as FlagName[]).filter((name) => !ofList.includes(name));
const listAlone = 'list the journals with --format text or json, then run one of the printed commands';
const planning = ['out', 'detailedExitcode'] as const;
const applying = ['yes', 'journal', 'noJournal', 'plan'] as const;
const onlyPlans = 'remove --out and --detailed-exitcode, which only plan, to apply';

export default defineCommand({
  details:
    'Reads a journal of apply, plans the changes that restore the former values, shows the plan, asks for confirmation and applies it. Values that changed after the run are kept and reported.',
  arguments: {
    journal: optionalArgument('journal of an apply or undo; with --last or --list, a root file'),
    files: listArgument('root files with the settings of the service (default: attune.yaml)'),
  },
  flags,
  conflicts: [
    ...withList.map((name) => ['list', name, listAlone] as const),
    ['only', 'plan', 'give --only to `attune undo --out`'],
    ...planning.flatMap((one) => applying.map((other) => [other, one, onlyPlans] as const)),
  ],
  examples: [
    'attune undo --last',
    'attune undo --list',
    'attune undo today.jsonl --only "workspace.*-prod" --yes',
    'attune undo today.jsonl --out undo.json',
  ],
  learnMore: 'docs/guides/undo.md',
  report: (given) => {
    if (given.list) return undefined;
    return endsWithPlan(given) ? 'plan' : 'apply';
  },
  run: async ({ journal, files }, given, session) => {
    const { console, io } = session;
    if (given.list) return await printJournals(journal === undefined ? files : [journal, ...files], session);
    if (given.out !== undefined) await writablePath('--out', given.out, io.cwd);
    await checkApplyOptions(session);
    const roots = given.last && journal !== undefined ? [journal, ...files] : files;
    return await withPlans({ ...given, purpose: 'undo', files: roots, journal }, session, async (planned) => {
      const isDone = planned.every(({ plan }) => plan.changes.length === 0);
      // The report as text has the same sentence.
      if (isDone && given.format !== 'text') console.inform(nothingToUndo);
      const { out, detailedExitcode } = given;
      const code = endsWithPlan(given)
        ? await reportPlans({ planned, entries: entriesOfPlans(planned, session) }, session, {
            out,
            detailedExitcode,
            command: ['undo', given.last || journal === undefined ? '--last' : pathWord(journal)],
          })
        : await applyPlans(planned, session, { yes: given.yes });
      return code === 0 && planned.some(hasConflicts) ? 1 : code;
    });
  },
});

async function printJournals(roots: readonly string[], session: Session): Promise<0> {
  const { console, flags } = session;
  if (flags.format !== 'text' && flags.format !== 'json')
    throw usageError(`--list cannot be used with --format ${flags.format}`, listAlone);
  const journals = await readJournals(roots, session);
  if (flags.format === 'json') console.result(jsonText({ format: 'attune.journals/1', journals }));
  else if (journals.length > 0) console.text(journalsText(journals, console.paint));
  else console.inform(`There is no journal of ${roots.length > 0 ? roots.join(', ') : 'this folder'}.`);
  return 0;
}

function endsWithPlan({ out, detailedExitcode }: UndoFlags): boolean {
  return out !== undefined || detailedExitcode === true;
}
