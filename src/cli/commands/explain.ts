import { jsonText } from '../../report/escape-controls.ts';
import { explainDocument, explainText } from '../../report/explain-text.ts';
import { explainDeclared } from '../../run/read-declared.ts';
import { checkAddressWords, defineCommand } from '../command.ts';
import { optionalArgument, requiredArgument } from '../flag.ts';
import { appFlag, configFlag, documentFlags } from '../flags.ts';

export default defineCommand({
  details:
    'Reads only the configuration files: no service and no token are needed. Also shows what keeps changes back, and until when. For a template, a role or the defaults, also lists the workspaces or grants that use it.',
  arguments: {
    address: requiredArgument(
      'workspace.NAME, project.ALIAS, team-access.PROJECT/TEAM, template.NAME, role.NAME or defaults',
    ),
    field: optionalArgument('show only this field, as in auto-apply or vcs-repo'),
  },
  flags: {
    ...documentFlags,
    ...appFlag,
    ...configFlag,
  },
  examples: [
    'attune explain workspace.network-prod',
    'attune explain workspace.network-prod auto-apply',
    'attune explain template.service',
    'attune explain team-access.payments/auditors',
    'attune explain defaults --format json',
  ],
  learnMore: 'docs/guides/explain.md',
  run: async ({ address, field }, { config }, session) => {
    const { io, flags, console } = session;
    const words = [address, ...(field === undefined ? [] : [field])];
    checkAddressWords('attune explain', words, { cwd: io.cwd, addresses: [address] });
    const { organization, explanation, path } = await explainDeclared(
      address,
      { field, file: config },
      session,
    );
    if (flags.format === 'json') io.stdout.write(jsonText(explainDocument(organization, explanation)));
    else if (field !== undefined && explanation.fields.length === 0 && explanation.holds.length === 0)
      console.text(`${address}: ${field} is unmanaged: no layer declares it\n`);
    else console.text(explainText(explanation, { paint: console.paint, path }));
    return 0;
  },
});
