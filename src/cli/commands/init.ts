import { defineCommand } from '../command.ts';
import { choiceFlag, defaultedArgument, switchFlag, textFlag } from '../flag.ts';
import { connectionFlags, plainFlags } from '../flags.ts';
import type { Session } from '../session.ts';

const { address: _address, ...paceFlags } = connectionFlags;

export const init = defineCommand({
  name: 'init',
  description: 'scaffold a repository: the root file, .gitignore, recipes for CI',
  arguments: { dir: defaultedArgument('the folder', '.') },
  flags: {
    organization: textFlag('name', 'the organization (default: acme, on the embedded service)'),
    address: textFlag('url', 'the service; or the word `embedded`, which needs no account (default)'),
    import: switchFlag('write what is live into the files'),
    ci: choiceFlag('system', 'add the recipes for this system', ['github', 'gitlab']),
    force: switchFlag('overwrite files that are there'),
    yes: switchFlag('do not ask: take what is usual'),
    ...plainFlags,
    ...paceFlags,
  },
  examples: [
    'attune init',
    'attune init --yes',
    'attune init --organization acme --address https://iac.example.com --import --ci github',
  ],
  run: async ({ dir }, flags, session) => {
    const { resolveAnswers } = await import('../init/answers.ts');
    const { prepareScaffold, writeScaffold } = await import('../init/scaffold.ts');

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
  const { importLive } = await import('../import/import-live.ts');
  const { withFlags } = await import('../session.ts');
  return importLive(undefined, { organization, out, force }, withFlags(session, { address, quiet: true }));
}
