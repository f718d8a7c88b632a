import { defineCommand } from '../command.ts';
import { choiceFlag, defaultedArgument, switchFlag, textFlag } from '../flag.ts';
import { connectionFlags, plainFlags } from '../flags.ts';
import { resolveAnswers } from '../init/answers.ts';
import { prepareScaffold, writeScaffold } from '../init/scaffold.ts';
import { reportImport } from '../report-import.ts';
import type { Session } from '../session.ts';
import { withFlags } from '../session.ts';

const { address: _address, ...paceFlags } = connectionFlags;

export default defineCommand({
  details:
    'Attune asks for the organization, the service and the CI system, unless flags or --yes answer these questions. Existing files are kept unless --force is given.',
  arguments: { dir: defaultedArgument('folder of the new configuration', '.') },
  flags: {
    organization: textFlag('name', 'organization (default: acme, on the embedded service)'),
    address: textFlag(
      'url',
      'address of the service, or `embedded` for a local service without an account (default: embedded)',
    ),
    import: switchFlag('import the live state into the new files'),
    ci: choiceFlag('system', 'add recipes for this CI system', ['github', 'gitlab']),
    force: switchFlag('overwrite existing files'),
    yes: switchFlag('use the defaults instead of asking'),
    ...plainFlags,
    ...paceFlags,
  },
  examples: [
    'attune init',
    'attune init --yes',
    'attune init --organization acme --address https://iac.example.com --import --ci github',
  ],
  learnMore: 'docs/configuration.md',
  run: async ({ dir }, flags, session) => {
    const answers = await resolveAnswers(flags, session.io);
    const force = flags.force === true;
    const scaffold = await prepareScaffold(answers, { place: dir, force, cwd: session.io.cwd });
    const code = answers.isImported ? await importInto(dir, force, answers, session) : 0;
    await writeScaffold(scaffold, answers, session);
    return code;
  },
});

/** @returns the exit code */
async function importInto(
  out: string,
  force: boolean,
  { organization, address }: { readonly organization: string; readonly address: string },
  session: Session,
): Promise<number> {
  const existing = force ? 'overwrite' : 'refuse';
  return reportImport({ organization, out, existing }, withFlags(session, { address, quiet: true }));
}
