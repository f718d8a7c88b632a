import { AttuneError, usageError } from '../../model/diagnostic.ts';
import { escapeControls } from '../../report/escape-controls.ts';
import {
  type CiSystem,
  checkOrganizationName,
  ciSystems,
  findRootFiles,
  type NewRepository,
  type NewRoot,
  prepareScaffold,
  readAddress,
  trial,
  writeScaffold,
} from '../../run/scaffold.ts';
import { defaultedArgument, defineCommand } from '../command.ts';
import { choiceFlag, type FlagValues, switchFlag, textFlag } from '../flag.ts';
import { connectionFlags, plainFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { withFlags } from '../session.ts';
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
  force: switchFlag('overwrite existing recipes; a root file with content is always kept'),
  yes: switchFlag('use the defaults instead of asking'),
  ...plainFlags,
  ...paceFlags,
};
type InitFlags = FlagValues<typeof flags>;

export default defineCommand({
  details:
    'Adds what is missing: the root file attune.yaml, lines of .gitignore, and recipes for a CI system. In a new folder, Attune asks for the organization, the service and the CI system, unless flags or --yes answer these questions. In a folder with root files, it writes the recipes for all of them. Existing files are left as they are, byte for byte; .gitignore gets the missing lines.',
  arguments: { dir: defaultedArgument('folder of the new configuration', '.') },
  flags,
  examples: [
    'attune init',
    'attune init --yes',
    'attune init --address https://iac.example.com/app/acme/workspaces --import --ci github',
  ],
  learnMore: 'docs/configuration.md',
  run: async ({ dir }, given, session) => {
    const { io, console } = session;
    const { force = false } = given;
    const roots = await findRootFiles(dir, io.cwd);
    if (roots.length > 0) refuseForExisting(given, roots);
    const repository = await askFor(given, roots.length === 0, io);
    const scaffold = await prepareScaffold(repository, roots, { place: dir, force, cwd: io.cwd });
    const { root } = repository;
    const existing = force ? 'overwrite' : 'refuse';
    const code = root?.isImported
      ? await reportImport(
          { organization: root.organization, out: dir, existing },
          withFlags(session, { address: root.address, quiet: true }),
        )
      : 0;
    const { files, nextSteps } = await writeScaffold(scaffold, repository, io);
    console.result(files.map(({ outcome, path }) => `  ${outcome.padEnd(11)}  ${path}\n`).join(''));
    for (const line of nextSteps) console.inform(line);
    return code;
  },
});

function refuseForExisting(
  { import: isImported, organization, address }: InitFlags,
  roots: readonly string[],
): void {
  if (!isImported && organization === undefined && address === undefined) return;
  const flag = isImported ? 'import' : organization === undefined ? 'address' : 'organization';
  throw new AttuneError(
    `${roots[0]} exists already, and --${flag} is for a new root file; no files were written`,
    {
      code: 'file-exists',
      hint: isImported
        ? 'run `attune import --update` to add what is missing to it, or choose another folder'
        : `remove --${flag}, or choose another folder`,
    },
  );
}

/** Uses the flags, else asks on the terminal, else uses the defaults. Asks again after an invalid answer. */
async function askFor(given: InitFlags, isNew: boolean, io: Io): Promise<NewRepository> {
  const ask = async <Answer>(
    question: string,
    usual: string,
    check: (answer: string) => Answer,
  ): Promise<Answer> => {
    for (;;) {
      const answer = given.yes
        ? undefined
        : await io.ask(`${question}${usual === '' ? '' : ` [${usual}]`}: `);
      try {
        return check(answer?.trim() || usual);
      } catch (error) {
        if (answer === undefined || !(error instanceof AttuneError)) throw error;
        io.stderr.write(`${escapeControls(error.message)}\n`);
      }
    }
  };
  const root = isNew ? await askForRoot(given, ask, io) : undefined;
  const ci = given.ci ?? (await ask('CI recipes: github, gitlab or none', 'none', checkedCi));
  return { root, ci };
}

type Ask = <Answer>(question: string, usual: string, check: (answer: string) => Answer) => Promise<Answer>;

async function askForRoot(given: InitFlags, ask: Ask, io: Io): Promise<NewRoot> {
  const { address, organization: shown } =
    given.address === undefined
      ? await ask(
          'Address of the service, or `embedded` for a trial without an account',
          io.env.ATTUNE_ADDRESS || trial.address,
          readAddress,
        )
      : readAddress(given.address);
  if (shown !== undefined && given.organization !== undefined && given.organization !== shown)
    throw usageError(
      `--address is a page of organization ${shown}, and --organization is ${given.organization}`,
      'remove --organization, or give the address of the service alone',
    );
  const usual = address === trial.address ? trial.organization : '';
  const named = given.organization ?? shown;
  const organization =
    named === undefined
      ? await ask('Name of the organization', usual, checkOrganizationName)
      : checkOrganizationName(named);
  const isImported =
    given.import ?? (address !== trial.address && (await ask('Import the live state? yes or no', 'no', yes)));
  return { organization, address, isImported };
}

function yes(answer: string): boolean {
  const lowerCase = answer.toLowerCase();
  if (lowerCase === 'yes' || lowerCase === 'y') return true;
  if (lowerCase === 'no' || lowerCase === 'n') return false;
  throw invalidAnswer(answer, 'yes or no');
}

function checkedCi(answer: string): CiSystem | undefined {
  const lowerCase = answer.toLowerCase();
  if (lowerCase === 'none') return undefined;
  const system = ciSystems.find((known) => known === lowerCase);
  if (system) return system;
  throw invalidAnswer(answer, 'github, gitlab or none');
}

function invalidAnswer(answer: string, words: string): AttuneError {
  return new AttuneError(`invalid answer "${answer}": expected ${words}`, { code: 'usage' });
}
