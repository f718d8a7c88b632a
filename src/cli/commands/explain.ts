import { explain } from '../../desired/explain.ts';
import { explainDocument } from '../../report/explain-document.ts';
import { explainText } from '../../report/explain-text.ts';
import { jsonText } from '../../report/json-text.ts';
import { loadOne } from '../../run/load.ts';
import { shownFrom } from '../../run/report-entry.ts';
import { defineCommand } from '../command.ts';
import { optionalArgument, requiredArgument, textFlag } from '../flag.ts';
import { appFlag, documentFlags } from '../flags.ts';
import type { Session } from '../session.ts';

export default defineCommand({
  details:
    'Reads only the configuration files: no service and no token are needed. For a template, a role or the defaults, also lists the workspaces or grants that use it.',
  arguments: {
    address: requiredArgument(
      'workspace.NAME, project.ALIAS, team-access.PROJECT/TEAM, template.NAME, role.NAME or defaults',
    ),
    field: optionalArgument('show only this field, as in auto-apply or vcs-repo'),
  },
  flags: {
    ...documentFlags,
    ...appFlag,
    config: textFlag('file', 'root file (default: attune.yaml)'),
  },
  examples: [
    'attune explain workspace.network-prod',
    'attune explain workspace.network-prod auto-apply',
    'attune explain template.service',
    'attune explain team-access.payments/auditors',
    'attune explain defaults --format json',
  ],
  learnMore: 'docs/guides/explain.md',
  run: ({ address, field }, { config }, session) => explainAddress(address, { field, config }, session),
});

interface ExplainOptions {
  readonly field: string | undefined;
  /** The root file. */
  readonly config: string | undefined;
}

/**
 * Prints the declared values under an address. Asks no service.
 *
 * @returns the exit code
 */
async function explainAddress(
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
