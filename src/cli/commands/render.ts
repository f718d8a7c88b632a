import { jsonText } from '../../report/escape-controls.ts';
import { renderedYaml } from '../../report/workspace-text.ts';
import { renderDeclared } from '../../run/read-declared.ts';
import { defineCommand } from '../command.ts';
import { appFlag, formatFlag, onlyFlag, plainFlags, rootFiles } from '../flags.ts';

const formats = ['yaml', 'json'] as const;

export default defineCommand({
  details:
    'Prints one root file without includes and layers: each workspace and each grant has all of its values. The output is a valid configuration with the same plan. Reads only the configuration files: no service and no token are needed. With --only, the output has these resources and no `prune`.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    ...onlyFlag,
    ...formatFlag(formats),
    ...plainFlags,
  },
  examples: ['attune render', 'attune render --only workspace.network-prod', 'attune render --format json'],
  learnMore: 'docs/guides/explain.md',
  run: async ({ files }, { only = [], format }, session) => {
    const { rendered, file } = await renderDeclared(files, session);
    if (format === 'yaml') {
      const part = only.length > 0 ? [`A part of it: ${only.join(', ')}. prune is left out.`] : [];
      const head = [`Effective configuration of ${file}`, ...part];
      session.io.stdout.write(renderedYaml(rendered, head));
    } else {
      session.io.stdout.write(jsonText(rendered));
    }
    return 0;
  },
});
