import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/desired/load-config.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { codesOnly } from '../support/codes-only.ts';
import { inFolder, loadFiles } from './load-files.ts';

/** As a program in `src/main.ts` writes it. */
const synthesized = (sections: string, places: string, organization = 'acme') => `
attune: 1
organization: ${organization}
${sections.trim()}
synthesized:
  places:
    "": ../src/main.ts:3:14 acme
${places.replace(/^\n/, '')}`;

const network = synthesized(
  'workspaces: {network: {project: platform}}',
  '    /workspaces/network: ../src/main.ts:5:1 acme/network',
);

async function printed(files: Readonly<Record<string, string>>, roots: string | readonly string[] = []) {
  return inFolder(files, async (cwd) => {
    const { diagnostics } = await loadConfig(roots, { cwd, synthesized: 'out' });
    return renderDiagnostics(diagnostics);
  });
}

test('a synthesized file alone is a root file whose places are in the program', async () => {
  const { configurations, diagnostics } = await inFolder({ 'out/acme.yaml': network }, (cwd) =>
    loadConfig('out/acme.yaml', { cwd }),
  );
  expect(diagnostics).toEqual([]);
  expect(configurations[0]?.desired.resources.get('workspace.network')?.location).toEqual({
    construct: 'acme/network',
    file: '../src/main.ts',
    line: 5,
    column: 1,
  });
});

test('the places of a synthesized folder are relative to the working folder', async () => {
  const { configurations } = await inFolder({ 'out/acme.yaml': network }, (cwd) =>
    loadConfig([], { cwd, synthesized: 'out' }),
  );
  expect(configurations[0]?.desired.resources.get('workspace.network')?.location?.file).toBe('src/main.ts');
});

test('a synthesized file joins the root file of its organization, and uses its declarations', async () => {
  const files = {
    'config/attune.yaml':
      'attune: 1\norganization: acme\nprojects: {platform: prj-1}\nworkspaces: {billing: {}}\nscope: {tags: [a]}\n',
    'out/acme.yaml': network,
    'out/beta.yaml': synthesized('workspaces: {only: {}}', '', 'beta'),
  };
  const { configurations, diagnostics } = await inFolder(files, (cwd) =>
    loadConfig('config', { cwd, synthesized: 'out' }),
  );
  expect(diagnostics).toEqual([]);
  expect(configurations.map(({ desired }) => [desired.organization, ...desired.resources.keys()])).toEqual([
    ['acme', 'workspace.billing', 'workspace.network'],
    ['beta', 'workspace.only'],
  ]);
  const resource = configurations[0]?.desired.resources.get('workspace.network');
  expect([resource?.attributes.project, resource?.location?.file]).toEqual(['prj-1', '../src/main.ts']);
  expect(configurations[0]?.scope).toEqual({ tags: ['a'], adopt: [], enforce: true });
});

test('a declaration in both a synthesized file and a root file is reported at both locations', async () => {
  expect(
    await printed(
      {
        'attune.yaml':
          'attune: 1\norganization: acme\nworkspaces:\n  network: {}\nscope: {tags: [a]}\nprojects: {platform: prj-1}\n',
        'out/acme.yaml': synthesized(
          'scope: {tags: [b]}\nworkspaces: {network: {}}',
          '    /workspaces/network: ../src/main.ts:5:1 acme/network',
        ),
      },
      'attune.yaml',
    ),
  ).toBe(`\
src/main.ts:3:14: error[duplicate-name]: the section "scope" is declared twice, also at attune.yaml:5:1
  construct: acme
src/main.ts:5:1: error[duplicate-name]: the workspace "network" is declared twice, also at attune.yaml:4:3
  construct: acme/network
attune.yaml:4:3: error[duplicate-name]: the workspace "network" is declared twice, also at src/main.ts:5:1 (acme/network)
  4 |   network: {}
    |   ^
attune.yaml:5:1: error[duplicate-name]: the section "scope" is declared twice, also at src/main.ts:3:14 (acme)
  5 | scope: {tags: [a]}
    | ^
`);
});

test('a problem of a synthesized entry is reported at the entry and not at its section', async () => {
  const text = synthesized(
    'workspaces: {a: {remote-state-consumers: [b, a]}, b: {tags: 3}}',
    `
    /workspaces/a: ../a.ts:1:1 acme/a
    /workspaces/a/remote-state-consumers/1: ../a.ts:2:3 acme/a
`,
  );
  expect(codesOnly(await printed({ 'out/acme.yaml': text }))).toBe(`\
a.ts:2:3: error[self-consumer]
  construct: acme/a
src/main.ts:3:14: error[wrong-type]
  construct: acme
`);
});

test('errors that a program recorded are reported with the others', async () => {
  const text = `${network.trimEnd()}
  problems:
    - {code: broken-rule, message: a network needs an owner, place: ../src/main.ts:5:1 acme/network}
`;
  expect(await printed({ 'out/acme.yaml': text })).toBe(`\
src/main.ts:5:1: error[broken-rule]: a network needs an owner
  construct: acme/network
`);
});

test('an included file that a program wrote adds its settings, for the same organization only', async () => {
  const root = (organization: string) => ({
    'attune.yaml': `attune: 1\norganization: ${organization}\ninclude: [out/*.yaml]\n`,
    'out/acme.yaml': synthesized('limits: {deletes: 3}\nservice: {data: ../live.json}', ''),
  });
  const { configurations } = await loadFiles(root('acme'));
  expect(configurations[0]?.limits.deletes).toBe(3);
  expect(configurations[0]?.service.data).toBe(join(configurations[0]?.folder ?? '', 'live.json'));
  expect(renderDiagnostics((await loadFiles(root('beta'))).diagnostics)).toBe(`\
src/main.ts:3:14: error[other-organization]: the program declares organization "acme", but the root file declares "beta"
  construct: acme
  hint: use a separate root file for this organization
`);
});

test('an edited synthesized section is reported at its own location', async () => {
  const broken = (section: string) => ({
    'out/acme.yaml': `attune: 1\norganization: acme\nworkspaces: {a b: {}}\nsynthesized: ${section}\n`,
  });
  expect(codesOnly(await printed(broken('3')), 'bad-value')).toBe(`\
out/acme.yaml:3:14: error[bad-value]
  3 | workspaces: {a b: {}}
    |              ^
out/acme.yaml:4:14: error[wrong-type]: "synthesized" must be a mapping, not 3
  4 | synthesized: 3
    |              ^
  hint: write its keys below it: places or problems
`);
  expect(await printed(broken('{places: {/workspaces: x.ts}, problems: [{code: 3}]}'))).toContain(
    'out/acme.yaml:4:55: error[missing-key]: an entry of "problems" requires the key "message"',
  );
});

test('a root file that cannot be read is reported without the problems of the synthesized file', async () => {
  expect(await printed({ 'attune.yaml': '', 'out/acme.yaml': network }, 'attune.yaml')).toContain(
    'error[empty-file]',
  );
});

test('a synthesized folder that does not exist is an error, and not an empty one', async () => {
  await expect(inFolder({}, (cwd) => loadConfig([], { cwd, synthesized: 'out' }))).rejects.toThrow(
    /cannot read .*out: ENOENT/,
  );
});
