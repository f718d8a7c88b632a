import { jsonText } from '../../report/escape-controls.ts';
import { renderedDocument, renderedYaml } from '../../report/rendered.ts';
import { renderDeclared } from '../../run/read-declared.ts';
import { defineCommand } from '../command.ts';
import { switchFlag } from '../flag.ts';
import { appFlag, formatFlag, onlyFlag, plainFlags, rootFiles } from '../flags.ts';

const formats = ['yaml', 'json'] as const;

export default defineCommand({
  details:
    'Prints one root file without includes and layers: each workspace and each grant has all of its values. The output is a valid configuration with the same plan. Reads only the configuration files: no service and no token are needed. With --only, the output has these resources and no `prune`.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    origins: switchFlag('add the layer, file and line of each value: comments in YAML, objects in JSON'),
    ...onlyFlag,
    ...formatFlag(formats),
    ...plainFlags,
  },
  examples: [
    'attune render',
    'attune render --origins --only workspace.network-prod',
    'attune render --format json',
  ],
  learnMore: 'docs/guides/explain.md',
  run: async ({ files }, { origins = false, only = [], format }, session) => {
    const { organization, rendered, file, path } = await renderDeclared(files, session);
    if (format === 'yaml') {
      const part = only.length > 0 ? [`A part of it: ${only.join(', ')}. prune is left out.`] : [];
      const head = [`Effective configuration of ${file}`, ...part];
      session.io.stdout.write(renderedYaml(rendered, { origins, path, head }));
    } else {
      const document = origins ? renderedDocument(organization, rendered) : rendered.document;
      session.io.stdout.write(jsonText(document));
    }
    return 0;
  },
});
