import { defineCommand } from '../command.ts';
import { optionalArgument, requiredArgument, textFlag } from '../flag.ts';
import { appFlag, documentFlags } from '../flags.ts';

export const explain = defineCommand({
  name: 'explain',
  description: 'show each declared value with its layer, file and line, and what it overrides',
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
  run: async ({ address, field }, { config }, session) => {
    const { explainAddress } = await import('../explain.ts');
    return explainAddress(address, { field, config }, session);
  },
});
