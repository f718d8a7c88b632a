import { AttuneError } from '../model/attune-error.ts';
import { groupBy } from '../model/value.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { jsonLine, jsonText } from '../report/json-text.ts';
import { type FoundRoot, findRoots } from '../run/find-roots.ts';
import type { Session } from './session.ts';

export type RootsFormat = 'text' | 'json' | 'github-matrix';

/** An organization and its root files, as a job gets them. */
interface RootsEntry {
  /** All root files of the organization, separated by spaces. */
  readonly root: string;
  readonly organization: string;
  /** Unique in the list, for the names of jobs and artifacts. */
  readonly name: string;
}

/** GitHub refuses a matrix with more jobs. */
const mostJobs = 256;

/**
 * Prints the root files below folders.
 *
 * @returns the exit code
 */
export async function listRoots(
  folders: readonly string[],
  format: RootsFormat,
  session: Session,
): Promise<number> {
  const { io, console } = session;
  const { shard } = session.options;
  const searched = folders.length > 0 ? folders : ['.'];
  const roots = await findRoots(searched, { cwd: io.cwd, shard });
  if (roots.length === 0) {
    const part = shard ? ` in shard ${shard.index}/${shard.count}` : '';
    console.inform(`No root files below ${searched.join(', ')}${part}.`);
  }
  checkPaths(roots);
  console.result(textOf(roots, format));
  return 0;
}

function textOf(roots: readonly FoundRoot[], format: RootsFormat): string {
  switch (format) {
    case 'text':
      return roots.map(({ root }) => `${escapeControls(root)}\n`).join('');
    case 'json':
      return jsonText({ format: 'attune.roots/1', roots: fileEntries(roots) });
    case 'github-matrix':
      return jsonLine({ include: matrixEntries(roots) });
    default:
      return format satisfies never;
  }
}

/** @throws {AttuneError} if a script that reads one path a line would read two, or one that does not exist. */
function checkPaths(roots: readonly FoundRoot[]): void {
  const broken = roots.find(({ root }) => /[\n\r]/.test(root));
  if (broken === undefined) return;
  throw new AttuneError(`cannot list ${JSON.stringify(broken.root)}: its path has a line break`, {
    code: 'bad-root-path',
    hint: 'rename the file and its folders',
  });
}

function fileEntries(roots: readonly FoundRoot[]): readonly RootsEntry[] {
  return namedGroups(roots).flatMap(({ name, members }) => members.map((root) => ({ ...root, name })));
}

/**
 * One entry per organization: root files of one organization are checked against each other, so one job plans them.
 *
 * @throws {AttuneError} if a path would not reach a command of the job unchanged, or the entries are too many.
 */
function matrixEntries(roots: readonly FoundRoot[]): readonly RootsEntry[] {
  for (const { root } of roots) {
    if (/^[A-Za-z0-9_./@:=+,%][A-Za-z0-9_./@:=+,%-]*$/.test(root)) continue;
    throw new AttuneError(`cannot put ${root} in a matrix: a shell would split or expand its path`, {
      code: 'bad-root-path',
      hint: 'rename the file and its folders: use letters, digits and . _ - only',
    });
  }
  const entries = namedGroups(roots).map(({ name, organization, members }) => {
    return { root: members.map(({ root }) => root).join(' '), organization, name };
  });
  if (entries.length <= mostJobs) return entries;
  const parts = Math.ceil(entries.length / mostJobs);
  const halves = Array.from({ length: parts }, (_, index) => `--shard ${index + 1}/${parts}`);
  throw new AttuneError(
    `cannot make a matrix of ${entries.length} jobs: GitHub allows ${mostJobs} jobs per matrix`,
    { code: 'matrix-too-large', hint: `make ${parts} matrices, with ${halves.join(' and ')}` },
  );
}

interface RootsGroup {
  readonly organization: string;
  readonly name: string;
  readonly members: readonly FoundRoot[];
}

function namedGroups(roots: readonly FoundRoot[]): readonly RootsGroup[] {
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
