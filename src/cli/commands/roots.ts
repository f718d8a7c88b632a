import { defineCommand } from '../command.ts';
import { choiceFlag, inGroup, listArgument } from '../flag.ts';
import { plainFlags, rootFlags } from '../flags.ts';
import { listRoots } from '../list-roots.ts';

const formats = ['text', 'json', 'github-matrix'] as const;

export default defineCommand({
  details:
    'Lists every YAML file with the keys `attune` and `organization`, sorted by path. Folders called node_modules, folders whose name starts with a dot, and symbolic links are left out. The format github-matrix is the matrix of a GitHub Actions job: one job for each organization, with all of its root files.',
  arguments: { dirs: listArgument('folders to search (default: the working folder)') },
  flags: {
    ...rootFlags,
    ...inGroup('Output options:', {
      format: { ...choiceFlag('format', 'output format', formats), default: 'text' as const },
    }),
    ...plainFlags,
  },
  examples: [
    'attune roots',
    'attune roots organizations --format github-matrix',
    'attune roots --shard 1/2 --format json',
  ],
  learnMore: 'docs/guides/fan-out.md',
  run: ({ dirs }, { format }, session) => listRoots(dirs, format, session),
});
