import { ciSystems, prepareScaffold } from '../../run/scaffold.ts';
import { defineCommand, optionalArgument } from '../command.ts';
import { choiceFlag, connectionFlags, hidden, plainFlags, switchFlag, textFlag } from '../flags.ts';
import { reportImport } from './import.ts';

const { address: _address, ...paceFlags } = connectionFlags;

const flags = {
  organization: textFlag('name', 'organization (default: acme, on the embedded service)'),
  address: textFlag(
    'url',
    'address of the service or of a page of the organization, as a browser shows it, or `embedded` for a local service without an account (default: embedded)',
  ),
  import: switchFlag('import the live state into the new files'),
  ci: choiceFlag('system', 'add recipes for this CI system', ciSystems),
  force: switchFlag(
    'overwrite existing recipes and, with --import, files of workspaces/; a root file is always kept',
  ),
  // Nothing is asked. Accepted so that scripts can share flags with other commands.
  ...hidden({ yes: switchFlag('write the files without asking for confirmation') }),
  ...plainFlags,
  ...paceFlags,
};

export default defineCommand({
  details:
    'Adds what is missing: the root file attune.yaml, lines of .gitignore, and recipes for a CI system. Existing files are left as they are, byte for byte; .gitignore gets the missing lines.',
  arguments: { dir: optionalArgument('folder of the new configuration (default: .)') },
  flags,
  examples: [
    'attune init',
    'attune init --organization acme --address https://iac.example.com',
    'attune init --address https://iac.example.com/app/acme/workspaces --import --ci github',
  ],
  learnMore: 'docs/configuration.md',
  run: async ({ dir = '.' }, given, session) => {
    const { io, console } = session;
    const { root, write } = await prepareScaffold(dir, given, io);
    const existing = given.force ? 'overwrite' : 'refuse';
    const imported =
      root?.isImported &&
      (await reportImport(
        { organization: root.organization, out: dir, existing },
        { ...session, options: { ...session.options, address: root.address } },
      ));
    const { files, nextSteps } = await write();
    console.result(files.map(({ outcome, path }) => `  ${outcome.padEnd(11)}  ${path}\n`).join(''));
    for (const line of nextSteps) console.inform(line);
    return imported && imported.omittedWorkspaces > 0 ? 1 : 0;
  },
});
