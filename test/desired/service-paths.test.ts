import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/desired/load-config.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { inFolder, rootText } from './load-files.ts';

/** The problems of a root file in its folder, beside a foreign file and links that lead there. */
async function problemsOf(service: string): Promise<string> {
  const files = {
    'org/attune.yaml': rootText(`service: {address: embedded, ${service}}\n`),
    'theirs.yaml': '',
  };
  return inFolder(files, async (folder) => {
    await mkdir(join(folder, 'org/inner'));
    await symlink(join(folder, 'theirs.yaml'), join(folder, 'org/link'));
    await symlink('../new', join(folder, 'org/dangling'));
    await symlink('..', join(folder, 'org/up'));
    await symlink('inner/new.json', join(folder, 'org/inside'));
    return renderDiagnostics((await loadConfig(join(folder, 'org'))).diagnostics);
  });
}

test('validate fails at a data file outside the folder of the root file', async () => {
  expect(await problemsOf('data: ../home/.bash_aliases')).toBe(`\
attune.yaml:3:36: error[path-outside]: service.data "../home/.bash_aliases" is outside the folder of the root file
  3 | service: {address: embedded, data: ../home/.bash_aliases}
    |                                    ^
  hint: write a path inside the folder, such as .attune/embedded.json
`);
});

test.each([
  '/tmp/x.json',
  'inner/../../x',
  'link',
  'dangling',
  'up/x.json',
  'up/org2/x.json',
  '.',
  'inner/..',
])('service.data and service.seed do not leave the folder of the root file: %s', async (path) => {
  expect(await problemsOf(`data: ${path}`)).toContain(`error[path-outside]: service.data "${path}"`);
  expect(await problemsOf(`seed: ${path}`)).toContain(`error[path-outside]: service.seed "${path}"`);
});

test.each(['x.json', './inner/x.json', '.attune/deep/x.json', 'inside', '..x', 'up/org/x.json'])(
  'service.data and service.seed accept a path inside the folder of the root file: %s',
  async (path) => {
    expect(await problemsOf(`data: ${path}, seed: ${path}`)).toBe('');
  },
);

test('a committed file that claims to be of a program does not leave the folder of the root file', async () => {
  const generated = `attune: 1
organization: acme
service: {address: embedded, data: ../theirs.json}
synthesized: {places: {}}
`;
  const files = { 'org/attune.yaml': rootText('include: [acme.yaml]\n'), 'org/acme.yaml': generated };
  await inFolder(files, async (folder) => {
    for (const root of ['org', 'org/acme.yaml']) {
      const { diagnostics } = await loadConfig(join(folder, root));
      expect(diagnostics.map(({ code }) => code)).toEqual(['path-outside']);
    }
  });
});
