import { jsonText } from '../../report/escape-controls.ts';
import { doctorText } from '../../report/results.ts';
import { diagnose } from '../../run/doctor/diagnose.ts';
import { defineCommand, rootFiles } from '../command.ts';
import { appFlag, connectionFlags, documentFlags } from '../flags.ts';

export default defineCommand({
  details:
    'Prints one line for each check, with what was found and how to fix it. Sends only GET requests: the permissions of the token come from the answers of the service. Exits with 1 if a check fails.',
  arguments: rootFiles,
  flags: { ...appFlag, ...documentFlags, ...connectionFlags },
  examples: ['attune doctor', 'attune doctor --format json -- organizations/*'],
  learnMore: 'docs/guides/doctor.md',
  run: async ({ files }, { format }, session) => {
    const { io, console } = session;
    const diagnoses = await diagnose(files, session);
    if (format === 'json') io.stdout.write(jsonText({ format: 'attune.doctor/1', organizations: diagnoses }));
    else console.text(doctorText(diagnoses, console.paint));
    return diagnoses.some(({ checks }) => checks.some(({ status }) => status === 'failed')) ? 1 : 0;
  },
});
