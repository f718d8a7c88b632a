import { defineCommand } from '../command.ts';
import { runDoctor } from '../doctor/run-doctor.ts';
import { appFlag, connectionFlags, documentFlags, rootFiles } from '../flags.ts';

export default defineCommand({
  details:
    'Prints one line for each check, with what was found and how to fix it. Sends only GET requests: the permissions of the token come from the answers of the service. Exits with 1 if a check fails.',
  arguments: rootFiles,
  flags: { ...appFlag, ...documentFlags, ...connectionFlags },
  examples: ['attune doctor', 'attune doctor --format json -- organizations/*'],
  learnMore: 'docs/guides/doctor.md',
  run: ({ files }, _flags, session) => runDoctor(files, session),
});
