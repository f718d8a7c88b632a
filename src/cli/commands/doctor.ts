import { defineCommand } from '../command.ts';
import { appFlag, connectionFlags, documentFlags, rootFiles } from '../flags.ts';

export const doctor = defineCommand({
  name: 'doctor',
  description: 'check the configuration, the connection, the token and its permissions',
  details:
    'Prints one line for each check, with what was found and how to fix it. Sends only GET requests: the permissions of the token come from the answers of the service. Exits with 1 if a check fails.',
  arguments: rootFiles,
  flags: { ...appFlag, ...documentFlags, ...connectionFlags },
  examples: ['attune doctor', 'attune doctor --format json -- organizations/*'],
  learnMore: 'docs/guides/doctor.md',
  run: async ({ files }, _flags, session) => {
    const { runDoctor } = await import('../doctor/run-doctor.ts');
    return runDoctor(files, session);
  },
});
