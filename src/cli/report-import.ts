import { importDocument, importText, namesCheckText } from '../report/import-document.ts';
import { jsonText } from '../report/json-text.ts';
import { checkNames } from '../run/check-names.ts';
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

/** @returns the exit code */
export async function reportNames(
  source: Parameters<typeof checkNames>[0],
  session: Session,
): Promise<number> {
  const { flags, console } = session;
  const checked = await checkNames(source, session);
  console.result(
    flags.format === 'json' ? jsonText({ format: 'attune.names/1', ...checked }) : namesCheckText(checked),
  );
  return 0;
}
