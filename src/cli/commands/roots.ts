import { AttuneError } from '../../model/diagnostic.ts';
import { groupBy } from '../../model/value.ts';
import { escapeControls, jsonLine, jsonText } from '../../report/escape-controls.ts';
import { type FoundRoot, findRoots } from '../../run/find-roots.ts';
import { defineCommand, listArgument } from '../command.ts';
import { formatFlag, plainFlags, rootFlags } from '../flags.ts';

const formats = ['text', 'json', 'github-matrix'] as const;

export default defineCommand({
  details:
    'Lists every YAML file with the keys `attune` and `organization`, sorted by path. Folders called node_modules, folders whose name starts with a dot, and symbolic links are left out. The format github-matrix is the matrix of a GitHub Actions job: one job for each organization, with all of its root files.',
  arguments: { dirs: listArgument('folders to search (default: the working folder)') },
  flags: { ...rootFlags, ...formatFlag(formats), ...plainFlags },
  examples: [
    'attune roots',
    'attune roots organizations --format github-matrix',
    'attune roots --shard 1/2 --format json',
  ],
  learnMore: 'docs/guides/fan-out.md',
  run: async ({ dirs }, { format, shard }, { io, console }) => {
    const folders = dirs.length > 0 ? dirs : ['.'];
    const roots = await findRoots(folders, { cwd: io.cwd, shard });
    if (roots.length === 0) {
      const part = shard ? ` in shard ${shard.index}/${shard.count}` : '';
      console.inform(`No root files below ${folders.join(', ')}${part}.`);
    }
    console.result(printers[format](roots));
    return 0;
  },
});

const printers: Readonly<Record<(typeof formats)[number], (roots: readonly FoundRoot[]) => string>> = {
  text: (roots) => roots.map(({ root }) => `${escapeControls(root)}\n`).join(''),
  json: (roots) => jsonText({ format: 'attune.roots/1', roots: fileEntries(roots) }),
  'github-matrix': (roots) => jsonLine({ include: matrixEntries(roots) }),
};

function fileEntries(roots: readonly FoundRoot[]) {
  return namedGroups(roots).flatMap(({ name, members }) => members.map((root) => ({ ...root, name })));
}

/** One entry per organization: root files of one organization are checked against each other, so one job plans them. */
function matrixEntries(roots: readonly FoundRoot[]) {
  for (const { root } of roots) {
    if (/^[A-Za-z0-9_./@:=+,%][A-Za-z0-9_./@:=+,%-]*$/.test(root)) continue;
    throw new AttuneError(`cannot put ${root} in a matrix: a shell would split or expand its path`, {
      code: 'bad-root-path',
      hint: 'rename the file and its folders: use letters, digits and . _ - only',
    });
  }
  return namedGroups(roots).map(({ name, organization, members }) => {
    return { root: members.map(({ root }) => root).join(' '), organization, name };
  });
}

function namedGroups(roots: readonly FoundRoot[]) {
  const taken = new Set<string>();
  return [...groupBy(roots, ({ organization }) => organization.toLowerCase())].map(([, members]) => {
    const [{ root, organization }] = members as [FoundRoot];
    const folder = root.replace(/(^|\/)attune\.yaml$/, '').replace(/\.ya?ml$/, '');
    const slug = (folder || organization).replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+/, '');
    // Names of artifacts differ by more than their letter case on some systems.
    let name = slug;
    for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${slug}-${count}`;
    taken.add(name.toLowerCase());
    return { organization, name, members };
  });
}
