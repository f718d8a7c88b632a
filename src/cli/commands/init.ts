import { AttuneError, usageError } from '../../model/diagnostic.ts';
import type { Environment } from '../../run/context.ts';
import {
  checkOrganizationName,
  ciSystems,
  findRootFiles,
  type NewRoot,
  prepareScaffold,
  readAddress,
  trial,
  writeScaffold,
} from '../../run/scaffold.ts';
import { defineCommand, optionalArgument } from '../command.ts';
import {
  choiceFlag,
  connectionFlags,
  type FlagValues,
  hidden,
  plainFlags,
  switchFlag,
  textFlag,
} from '../flags.ts';
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
  force: switchFlag('overwrite existing recipes; a root file is always kept'),
  // Nothing is asked. Accepted so that scripts can share flags with other commands.
  ...hidden({ yes: switchFlag('write the files without asking for confirmation') }),
  ...plainFlags,
  ...paceFlags,
};
type InitFlags = FlagValues<typeof flags>;

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
    const { force = false } = given;
    const roots = await findRootFiles(dir, io.cwd);
    refuseForExisting(given, roots);
    const root = roots.length === 0 ? newRoot(given, io.env) : undefined;
    const repository = { root, ci: given.ci };
    const scaffold = await prepareScaffold(repository, roots, { place: dir, force, cwd: io.cwd });
    const existing = force ? 'overwrite' : 'refuse';
    const imported =
      root?.isImported &&
      (await reportImport(
        { organization: root.organization, out: dir, existing },
        { ...session, options: { ...session.options, address: root.address } },
      ));
    const { files, nextSteps } = await writeScaffold(scaffold, repository, io);
    console.result(files.map(({ outcome, path }) => `  ${outcome.padEnd(11)}  ${path}\n`).join(''));
    for (const line of nextSteps) console.inform(line);
    return imported && imported.omittedWorkspaces > 0 ? 1 : 0;
  },
});

function refuseForExisting(given: InitFlags, [root]: readonly string[]): void {
  const flag = (['import', 'organization', 'address'] as const).find((name) => given[name]);
  if (flag === undefined || root === undefined) return;
  throw new AttuneError(
    `${root} exists already, and --${flag} is for a new root file; no files were written`,
    {
      code: 'file-exists',
      hint: `remove --${flag}, choose another folder, or run \`attune import --update\` to add live workspaces`,
    },
  );
}

function newRoot(given: InitFlags, { ATTUNE_ADDRESS: variable }: Environment): NewRoot {
  const { address, organization: shown } = readAddress(given.address ?? (variable || trial.address));
  if (shown !== undefined && given.organization !== undefined && given.organization !== shown)
    throw usageError(
      `--address is a page of organization ${shown}, and --organization is ${given.organization}`,
      'remove --organization, or give the address of the service alone',
    );
  const usual = address === trial.address ? trial.organization : '';
  const organization = checkOrganizationName(given.organization ?? shown ?? usual);
  return { organization, address, isImported: given.import ?? false };
}
