import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune } from '../../support/attune.ts';
import { codeBlocksOf } from '../../support/pages.ts';
import { compile, programWith, shellEnv } from '../../support/program-folder.ts';

const pageOf = (name: string) => readFileSync(join(import.meta.dirname, '..', '..', '..', name), 'utf8');
/** Blocks without the name of a file: the others are a walkthrough. */
const programsOf = (page: string) =>
  codeBlocksOf(page)
    .filter(({ language, label }) => language === 'ts' && label === undefined)
    .map(({ text }) => text);

const guide = pageOf('docs/guides/constructs.md');
const [program = '', ...parts] = programsOf('docs/guides/constructs.md');
const short = programsOf('README.md').find((text) => text.includes('attune/constructs')) ?? '';

/** What the parts of the guide take as there. */
const around = (part: string) => `\
import { App, Organization, Project, Tags, Workspace } from 'attune/constructs';
import { Construct } from 'constructs';

const app = new App();
const acme = new Organization(app, 'acme', { templates: { service: {} } });
const platform = new Project(acme, 'platform', { id: 'prj-7hWq' });
const sandbox = new Construct(acme, 'sandbox');
const network = new Workspace(acme, 'network');
const billing = new Workspace(acme, 'bills');
${part}
await app.synth();
`;

test('the programs of docs/guides/constructs.md and README.md compile and run, and the first one has the result that the page shows', async () => {
  const folder = await programWith(
    {
      'src/main.ts': program,
      'src/short.ts': short,
      'src/rule.ts': around(
        `const stage = new Construct(acme, 'prod');\n${parts.find((part) => part.includes('addValidation'))}\nnew Service(stage, 'billing', '');`,
      ),
      ...Object.fromEntries(parts.map((part, index) => [`src/part-${index}.ts`, around(part)])),
    },
    { rootDir: 'src', outDir: 'dist' },
  );
  expect(parts).toHaveLength(4);
  expect(compile(folder)).toBe('');
  for (const name of ['short', ...parts.map((_part, index) => `part-${index}`)]) {
    const argv = [`dist/${name}.js`];
    const { status, stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  }
  const { stderr } = await attune(['validate', '--app', 'node dist/main.js'], { cwd: folder, env: shellEnv });
  expect(guide).toContain(`$ attune validate --app "node dist/main.js"\n${stderr}`);

  const broken = await attune(['validate', '--app', 'node dist/rule.js'], { cwd: folder, env: shellEnv });
  // The page has a program that is a part of another one: its lines and file differ.
  const placeless = (text: string) =>
    text.replaceAll(/\b(src|dist)\/\w+\.[jt]s:\d+:\d+/g, 'PLACE').replaceAll(/^ *\d+ \|\s*|^ *\|\s*/gm, '');
  expect(broken.code).toBe(1);
  expect(placeless(guide)).toContain(placeless(broken.stdout).trim());
});
