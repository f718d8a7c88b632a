import { explain } from '../desired/explain.ts';
import { explainDocument } from '../report/explain-document.ts';
import { explainText } from '../report/explain-text.ts';
import { jsonText } from '../report/json-text.ts';
import { shownFrom } from './emit.ts';
import { loadOne } from './organizations/load.ts';
import type { Session } from './session.ts';

export interface ExplainOptions {
  readonly field: string | undefined;
  /** The root file. */
  readonly config: string | undefined;
}

/**
 * Prints the declared values under an address. Asks no service.
 *
 * @returns the exit code
 */
export async function explainAddress(
  address: string,
  { field, config }: ExplainOptions,
  session: Session,
): Promise<number> {
  const { io, flags, console } = session;
  const configuration = await loadOne(config === undefined ? [] : [config], session, {
    message: 'the program of --app declares several organizations',
    hint: 'name the root file of one of them with --config',
  });
  const explanation = explain(configuration, address, field);
  const { organization } = configuration.desired;
  if (flags.format === 'json') {
    io.stdout.write(jsonText(explainDocument(organization, explanation)));
    return 0;
  }
  const options = { paint: console.paint, path: shownFrom(io.cwd, configuration.folder) };
  console.result(
    field !== undefined && explanation.fields.length === 0
      ? `${address}: ${field} is unmanaged: no layer declares it\n`
      : explainText(explanation, options),
  );
  return 0;
}
