import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/desired/load-config.ts';
import { rowsIn } from '../support/rows.ts';
import { inFolder } from './load-files.ts';

const root = (include: string, rest = '') =>
  `attune: 1\norganization: acme\ninclude: [${include}]\n${rest}workspaces: {app: {}}\n`;
const shared = 'defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n';
const marked = { 'attune.repository.yaml': '', 'shared/all.yaml': shared };

type Prepare = (folder: string) => Promise<unknown>;

/** The codes of loading `teams/a` of a repository, and the declared settings of its workspace. */
function loaded(files: Readonly<Record<string, string>>) {
  return inFolder(files, async (folder) => {
    const { diagnostics, configurations, roots } = await loadConfig(join(folder, 'teams/a'));
    const app = configurations[0]?.desired.resources.get('workspace.app');
    return {
      codes: diagnostics.map(({ code }) => code),
      app: app?.attributes,
      locations: app?.declared?.locations,
      files: roots[0]?.files,
    };
  });
}

test('root files below an attune.repository.yaml share defaults and templates of the repository', async () => {
  const files = {
    ...marked,
    'teams/a/attune.yaml': root('../../shared/*.yaml').replace('{app: {}}', '{app: {extends: service}}'),
  };
  expect(await loaded(files)).toMatchObject({
    codes: [],
    app: { 'auto-apply': false, 'execution-mode': 'remote' },
    files: ['attune.yaml', '../../shared/all.yaml'],
    locations: { 'auto-apply': { file: '../../shared/all.yaml', line: 1 } },
  });
});

test('defaults are declared once over all files', async () => {
  const own = 'defaults: {workspace: {auto-apply: true}}\n';
  const files = { ...marked, 'teams/a/attune.yaml': root('../../shared/all.yaml', own) };
  expect((await loaded(files)).codes).toEqual(['duplicate-name', 'duplicate-name']);
});

test.each(rowsIn<[string, string, Readonly<Record<string, string>>]>`
- [no file declares the repository, ../../shared/all.yaml, {shared/all.yaml: "defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n"}]
- [the pattern leads above the repository, ../../../x.yaml, {attune.repository.yaml: '', shared/all.yaml: "defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n"}]
- [a pattern goes up later, x/../../../shared/all.yaml, {attune.repository.yaml: '', shared/all.yaml: "defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n"}]
- [a pattern goes up after it has gone up, ../../shared/../../x.yaml, {attune.repository.yaml: '', shared/all.yaml: "defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n"}]
- [a pattern goes up in braces, '"{../../shared/all.yaml,b.yaml}"', {attune.repository.yaml: '', shared/all.yaml: "defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n"}]
- [a pattern is absolute, /etc/*.yaml, {attune.repository.yaml: '', shared/all.yaml: "defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n"}]
- [the repository is declared above a Git repository, ../../shared/all.yaml, {attune.repository.yaml: '', shared/all.yaml: "defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n", teams/.git/HEAD: ''}]
- [only the folder of the root file is declared, ../../shared/all.yaml, {shared/all.yaml: "defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n", teams/a/attune.repository.yaml: ''}]
`)('an included file is outside if %s', async (_why, include, files) => {
  expect((await loaded({ ...files, 'teams/a/attune.yaml': root(include) })).codes).toEqual(['path-outside']);
});

test.each<[string, string, Prepare]>([
  [
    'a link of the repository to a file outside of it',
    '../../shared/link.yaml',
    async (folder) => {
      await writeFile(join(folder, 'secret.yaml'), shared);
      await symlink(join(folder, 'secret.yaml'), join(folder, 'repo/shared/link.yaml'));
    },
  ],
  [
    'a link of the repository to a folder outside of it, in a pattern',
    '../../shared/*/x.yaml',
    async (folder) => {
      await mkdir(join(folder, 'elsewhere'));
      await writeFile(join(folder, 'elsewhere/x.yaml'), shared);
      await symlink(join(folder, 'elsewhere'), join(folder, 'repo/shared/link'));
    },
  ],
  [
    'an attune.repository.yaml that is a link',
    '../../../secret.yaml',
    async (folder) => {
      await writeFile(join(folder, 'secret.yaml'), shared);
      await writeFile(join(folder, 'empty'), '');
      await symlink(join(folder, 'empty'), join(folder, 'attune.repository.yaml'));
    },
  ],
  [
    'a folder of root files that is a link out of the repository',
    '../../shared/all.yaml',
    async (folder) => {
      await mkdir(join(folder, 'other/shared'), { recursive: true });
      await writeFile(join(folder, 'other/shared/all.yaml'), shared);
      await rename(join(folder, 'repo/shared'), join(folder, 'other/was'));
      await symlink(join(folder, 'other/shared'), join(folder, 'repo/shared'));
    },
  ],
])('a repository does not allow to read through %s', async (_what, include, prepare) => {
  const files = {
    'repo/attune.repository.yaml': '',
    'repo/shared/all.yaml': shared,
    'repo/teams/a/attune.yaml': root(include),
  };
  const codes = await inFolder(files, async (folder) => {
    await prepare(folder);
    const { diagnostics } = await loadConfig(join(folder, 'repo/teams/a'));
    return diagnostics.map(({ code }) => code);
  });
  expect(codes).toEqual(['path-outside']);
});

test('a root file that a pattern of the repository matches is an included file with wrong keys, and not itself', async () => {
  const files = {
    'attune.repository.yaml': '',
    'teams/a/attune.yaml': root('../*/attune.yaml'),
    'teams/b/attune.yaml': 'attune: 1\norganization: acme\n',
  };
  expect(await loaded(files)).toMatchObject({ codes: ['unknown-key', 'unknown-key'] });
});

test('an included file with the settings of a run is refused, also from the repository', async () => {
  const files = {
    'attune.repository.yaml': '',
    'shared/all.yaml': 'service: {address: https://elsewhere.example.com}\nprune: {workspaces: force}\n',
    'teams/a/attune.yaml': root('../../shared/all.yaml'),
  };
  expect((await loaded(files)).codes).toEqual(['unknown-key', 'unknown-key']);
});
