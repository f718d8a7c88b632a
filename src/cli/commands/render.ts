import { defineCommand } from '../command.ts';
import { choiceFlag, inGroup, switchFlag } from '../flag.ts';
import { appFlag, onlyFlag, plainFlags, rootFiles } from '../flags.ts';

const formats = ['yaml', 'json'] as const;

export const render = defineCommand({
  name: 'render',
  description: 'print the effective configuration after defaults, templates, roles and aliases',
  details:
    'Prints one root file without includes and layers: each workspace and each grant has all of its values. The output is a valid configuration with the same plan. Reads only the configuration files: no service and no token are needed. With --only, the output has these resources and no `prune`.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    origins: switchFlag('add the layer, file and line of each value: comments in YAML, objects in JSON'),
    ...onlyFlag,
    ...inGroup('Output options:', {
      format: { ...choiceFlag('format', 'output format', formats), default: 'yaml' as const },
    }),
    ...plainFlags,
  },
  examples: [
    'attune render',
    'attune render --origins --only workspace.network-prod',
    'attune render --format json',
  ],
  learnMore: 'docs/guides/explain.md',
  run: async ({ files }, { origins = false, only = [], format }, session) => {
    const rendering = await import('../render.ts');
    return rendering.render(files, { origins, only, format }, session);
  },
});
