import { jsonText } from '../../report/escape-controls.ts';
import { explainText, renderedYaml } from '../../report/resource-text.ts';
import { explainDeclared, renderDeclared } from '../../run/export-terraform.ts';
import { defineCommand, optionalArgument, requiredArgument, rootFiles } from '../command.ts';
import { appFlag, configFlag, documentFlags, formatFlag, onlyFlag, plainFlags } from '../flags.ts';

export default defineCommand({
  details:
    'Reads only the configuration files: no service and no token are needed. For a template, a role or the defaults, also lists the workspaces or grants that use it.',
  arguments: {
    address: requiredArgument(
      'workspace.NAME, project.ALIAS, team-access.PROJECT/TEAM, template.NAME, role.NAME or defaults',
    ),
    field: optionalArgument('show only this field, as in auto-apply or vcs-repo'),
  },
  flags: { ...documentFlags, ...appFlag, ...configFlag },
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
    const { organization, explanation, path } = await explainDeclared(
      address,
      { field, file: config },
      session,
    );
    if (flags.format === 'json')
      io.stdout.write(jsonText({ format: 'attune.explain/1', organization, ...explanation }));
    else if (field !== undefined && explanation.fields.length === 0)
      console.text(`${address}: ${field} is unmanaged: no layer declares it\n`);
    else console.text(explainText(explanation, { paint: console.paint, path }));
    return 0;
  },
});

export const render = defineCommand({
  details:
    'Prints one root file without includes and layers: each workspace and each grant has all of its values. The output is a valid configuration with the same plan. Reads only the configuration files: no service and no token are needed. With --only, the output has these resources and no `prune`.',
  arguments: rootFiles,
  flags: { ...appFlag, ...onlyFlag, ...formatFlag(['yaml', 'json']), ...plainFlags },
  examples: ['attune render', 'attune render --only workspace.network-prod', 'attune render --format json'],
  learnMore: 'docs/guides/explain.md',
  run: async ({ files }, { only = [], format }, session) => {
    const { rendered, file } = await renderDeclared(files, session);
    if (format === 'yaml') {
      const part = only.length > 0 ? [`A part of it: ${only.join(', ')}. prune is left out.`] : [];
      session.io.stdout.write(renderedYaml(rendered, [`Effective configuration of ${file}`, ...part]));
    } else {
      session.io.stdout.write(jsonText(rendered));
    }
    return 0;
  },
});
