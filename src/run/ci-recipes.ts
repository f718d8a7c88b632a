import { usageError } from '../model/attune-error.ts';
import { readPackageFile } from '../model/package-files.ts';
import { shellWord } from './shell-words.ts';

export const ciSystems = ['github', 'gitlab'] as const;
export type CiSystem = (typeof ciSystems)[number];

/** The paths of the recipes of `examples/ci` in a repository (docs/guides/ci.md). */
const recipes: Readonly<Record<CiSystem, Readonly<Record<string, string>>>> = {
  github: {
    'github/attune-plan.yml': '.github/workflows/attune-plan.yml',
    'github/attune-apply.yml': '.github/workflows/attune-apply.yml',
    'github/attune-drift.yml': '.github/workflows/attune-drift.yml',
    'github/attune-due.yml': '.github/workflows/attune-due.yml',
  },
  gitlab: {
    'gitlab/.gitlab-ci.yml': '.gitlab-ci.yml',
    'gitlab/gitlab.mjs': 'ci/gitlab.mjs',
  },
};

/** The recipes for root files, by their paths in the repository. A root file is written as it or as its folder. */
export function ciRecipes(system: CiSystem, roots: readonly string[]): ReadonlyMap<string, string> {
  const isUsual = roots.length === 0 || (roots.length === 1 && roots[0] === 'attune.yaml');
  const unsafe = roots.find((root) => !/^[\w@.][\w@./ -]*$/.test(root));
  if (!isUsual && unsafe !== undefined)
    throw usageError(
      `cannot name ${JSON.stringify(unsafe)} in a recipe of ${system}`,
      'use letters, digits and "-_./@ " in the path of the root file, or write the recipe yourself: examples/ci',
    );
  return new Map(
    Object.entries(recipes[system]).map(([source, target]) => {
      const text = readPackageFile(`examples/ci/${source}`);
      return [target, isUsual ? text : withRoots(text, roots)];
    }),
  );
}

/** Each command gets the root files. A snapshot contains one of them, so several have no plans without a token. */
function withRoots(text: string, roots: readonly string[]): string {
  const words = roots.map(shellWord).join(' ');
  const blocks = text.split(/\n\n/);
  const kept = roots.length > 1 ? blocks.filter((block) => !isSnapshotStep(block)) : blocks;
  const whole = kept
    .join('\n\n')
    .replaceAll(
      /\battune(@[\d.]+)? (validate|plan|apply|drift|snapshot) --/g,
      (_, version = '', command) => `attune${version} ${command} ${words} --`,
    );
  if (roots.length === 1) return whole;
  return whole
    .replace(/\n {4}# Merge requests from forks are planned from this\.\n.*attune snapshot .*/, '')
    .replace('paths: [live.json, drift.html]', 'paths: [drift.html]');
}

function isSnapshotStep(block: string): boolean {
  return (/^ {6}(#|- )/.test(block) && block.includes('snapshot')) || block.includes('fetch-snapshot');
}
