import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const copy = mkdtempSync(join(tmpdir(), 'attune-new-kind-'));

/** Modules whose code depends on the kind of a resource. */
const modulesWithKinds = [
  'desired',
  'live',
  'diff',
  'plan',
  'apply',
  'undo',
  'report',
  'import',
  'constructs',
  'cdktf',
];

/** What a developer adds to the model for another kind of resource. */
const additions = [
  {
    file: 'src/model/state.ts',
    replacements: [
      [
        "['project', 'workspace', 'team-access'] as const",
        "['project', 'workspace', 'team-access', 'variable-set'] as const",
      ],
      [
        'export type Resource = ProjectResource | WorkspaceResource | GrantResource;',
        "export type Resource = ProjectResource | WorkspaceResource | GrantResource | VariableSetResource;\nexport interface VariableSetResource extends ResourceBase<'variable-set', Values> {}",
      ],
    ],
  },
  {
    file: 'src/model/change.ts',
    replacements: [
      [
        'export type Change = ProjectChange | WorkspaceChange | GrantChange;',
        "export type Change = ProjectChange | WorkspaceChange | GrantChange | VariableSetChange;\nexport interface VariableSetChange extends ChangeBase<'variable-set'> {}",
      ],
    ],
  },
] as const;

/** The files of src in which tsc reports errors. */
let filesWithErrors: readonly string[] = [];

beforeAll(async () => {
  for (const path of ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const { file, replacements } of additions) {
    const text = replacements.reduce(
      (edited, [before, after]) => {
        expect(edited).toContain(before);
        return edited.replace(before, after);
      },
      readFileSync(join(copy, file), 'utf8'),
    );
    writeFileSync(join(copy, file), text);
  }
  filesWithErrors = await compile();
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

async function compile(): Promise<readonly string[]> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noEmit'], {
    cwd: copy,
  });
  const output = await run.then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  );
  return [...output.matchAll(/^(src\/\S+\.ts)\(\d+,\d+\): error/gm)].map(([, file = '']) => file);
}

test.each(modulesWithKinds)(
  'another kind of resource does not compile until each module handles it: %s',
  (module) => {
    expect(filesWithErrors.filter((file) => file.startsWith(`src/${module}/`))).not.toEqual([]);
  },
);
