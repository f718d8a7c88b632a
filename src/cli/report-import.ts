import { importDocument, importText } from '../report/import-document.ts';
import { jsonText } from '../report/json-text.ts';
import { type ImportOptions, importLive } from '../run/import-live.ts';
import type { Session } from './session.ts';

/** @returns the exit code, which is 1 if a workspace is left out; the files are written in this case, too. */
export async function reportImport(options: ImportOptions, session: Session): Promise<number> {
  const { flags, io, console } = session;
  const result = await importLive(options, session);
  if (flags.format === 'json') io.stdout.write(jsonText(importDocument(result)));
  else {
    console.result(importText(result));
    console.diagnostics(result.diagnostics);
  }
  console.inform(`Next: ${result.planCommand}`);
  return result.omittedWorkspaces > 0 ? 1 : 0;
}
