import { type Diagnosis, doctorDocument, doctorText } from '../../report/doctor.ts';
import { jsonText } from '../../report/json-text.ts';
import { openConnections } from '../../run/connect.ts';
import { loadRoots } from '../../run/load.ts';
import type { Session } from '../session.ts';
import { diagnose } from './diagnose.ts';

/**
 * Checks the root files one after the other and prints the results.
 *
 * @returns the exit code: 1 if a check failed
 */
export async function runDoctor(files: readonly string[], session: Session): Promise<number> {
  const { io, flags, console, progress } = session;
  const { roots, configurations } = await loadRoots(files, session);
  await using connections = await openConnections(configurations, session);
  const diagnoses: Diagnosis[] = [];
  for (const root of roots) {
    progress.begin(`${root.organization ?? root.file}: checking`);
    const { configuration } = root;
    const index = configuration && configurations.indexOf(configuration);
    diagnoses.push(await diagnose(root, connections, index, session));
  }
  progress.end();
  if (flags.format === 'json') io.stdout.write(jsonText(doctorDocument(diagnoses)));
  else console.result(doctorText(diagnoses, console.paint));
  return diagnoses.some(({ checks }) => checks.some(({ status }) => status === 'failed')) ? 1 : 0;
}
