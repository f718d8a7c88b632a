import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/desired/load-config.ts';
import { rowsIn } from '../support/rows.ts';
import { inFolder } from './load-files.ts';

const root = (include: string, rest = '') =>
  `attune: 1\norganization: acme\ninclude: [${include}]\n${rest}workspaces: {app: {}}\n`;
const shared = 'defaults: {workspace: {auto-apply: false}}\ntemplates: {service: {execution-mode: remote}}\n';
const marked = { 'attune.repository.yaml': '', 'shared/all.yaml': shared };

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

// What there is beside the repository, and what is replaced by a link to it.
test.each(rowsIn<[string, string, string[], [target: string, link: string]]>`
- [a link of the repository to a file outside of it, ../../shared/link.yaml, [secret.yaml], [secret.yaml, repo/shared/link.yaml]]
- ['a link of the repository to a folder outside of it, in a pattern', ../../shared/*/x.yaml, [elsewhere/x.yaml], [elsewhere, repo/shared/link]]
- [an attune.repository.yaml that is a link, ../../../secret.yaml, [secret.yaml, empty], [empty, attune.repository.yaml]]
- [a folder of root files that is a link out of the repository, ../../shared/all.yaml, [other/shared/all.yaml], [other/shared, repo/shared]]
`)('a repository does not allow to read through %s', async (_what, include, beside, [target, link]) => {
  const files = {
    'repo/attune.repository.yaml': '',
    'repo/shared/all.yaml': shared,
    'repo/teams/a/attune.yaml': root(include),
    ...Object.fromEntries(beside.map((name) => [name, name === 'empty' ? '' : shared])),
  };
  const codes = await inFolder(files, async (folder) => {
    await rm(join(folder, link), { recursive: true, force: true });
    await symlink(join(folder, target), join(folder, link));
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
