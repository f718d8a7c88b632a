import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/desired/load-config.ts';
import { hasErrors } from '../../../src/model/diagnostic.ts';
import { renderDiagnostics } from '../../../src/report/text/diagnostics-text.ts';
import { inFolder, loadFiles } from '../../desired/load-files.ts';
import { everyKey, otherTypes, pathsIn, withValue } from '../../desired/typed-mutations.ts';
import { cases, sample } from '../../support/cases.ts';

const whole = `# yaml-language-server: $schema=./node_modules/attune/schemas/attune.schema.json
attune: 1
organization: acme
service: {address: https://iac.example.com, dialect: iac, rate: 20, parallelism: 10, timeout: 30}
include: [more/*.yaml]
projects:
  platform: prj-7hWq
  payments: prj-2
teams: {sre: team-a1, developers: team-2}
ssh-keys: {deploy: sshkey-9f}
vcs-connections: {github: ot-1}
defaults:
  workspace: {execution-mode: remote, tags: [managed]}
templates:
  service: &service
    iac-version: "~> 1.9.0"
    file-triggers-enabled: true
  other: {<<: *service, extends: [service]}
workspaces:
  network-prod:
    project: platform
    extends: service
    description: |
      Shared
      VPCs
    tags: {add: [network], remove: [prod]}
    remote-state-consumers:
      - billing-prod
      - {tag: needs-network}
      - {project: payments}
    ssh-key: deploy
    lock: {reason: change freeze}
    data-retention: {delete-older-than-days: 30}
    auto-destroy-at: null
  billing-prod:
    renamed-from: billing
    vcs-repo: {identifier: acme/billing, oauth-token-id: github, branch: main}
  legacy:
    state: absent
team-access:
  payments:
    sre: admin
    developers: {access: custom, workspace-access: {runs: plan, create: true}}
scope: {projects: [platform], names: ["*-prod"]}
prune: {workspaces: safe}
limits: {deletes: 5}
`;
const more = 'workspaces:\n  more: {extends: other, remote-state-consumers: [network-prod]}\n';

const syntax = [
  ...['null', '[]', '{}', '{', '}', '[', ']', '- ', '? ', ': ', '\n', '\n  ', '  ', '\t', '"', "'", '|', '#'],
  ...[
    '*service',
    '&a ',
    '*a',
    '<<: ',
    '---\n',
    '!x ',
    '...',
    '%YAML 1.1\n',
    '~',
    '\u0000',
    '\uD800',
    '\u202E',
  ],
];
const words = [
  ...[
    '1.10',
    'true',
    'yes',
    '1e999',
    '-0',
    '.nan',
    '9'.repeat(400),
    'a/b',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...[
    'extends: ',
    'tags: ',
    'state: absent',
    'vcs-repo: ',
    'access: ',
    '{name: x}',
    '{tag: x}',
    'organization: b',
  ],
];
const pieces = fc.constantFrom(...syntax, ...words);
const mutation = fc.record({
  at: fc.nat(whole.length),
  drop: fc.nat(12),
  insert: fc.oneof(pieces, fc.string({ maxLength: 4 })),
});

function mutate(text: string, mutations: readonly { at: number; drop: number; insert: string }[]): string {
  return mutations.reduce(
    (now, { at, drop, insert }) => now.slice(0, at) + insert + now.slice(at + drop),
    text,
  );
}

test('the file that the property changes has no errors', async () => {
  const { diagnostics, configurations } = await loadFiles({ 'attune.yaml': whole, 'more/a.yaml': more });
  expect(renderDiagnostics(diagnostics)).toBe('');
  expect(configurations[0]?.desired.resources.size).toBe(6);
});

test('a changed file gives either a configuration or errors with locations, and never an exception', async () => {
  await inFolder({ 'attune.yaml': whole, 'more/a.yaml': more }, async (folder) => {
    const property = fc.asyncProperty(
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      async (mutations) => {
        await writeFile(join(folder, 'attune.yaml'), mutate(whole, mutations));
        const { diagnostics, configurations } = await loadConfig(folder);
        expect(configurations.length).toBe(hasErrors(diagnostics) ? 0 : 1);
        expect(renderDiagnostics(diagnostics)).not.toMatch(/undefined|\[object|\0|\u202E/);
        expect(diagnostics.filter(({ severity, location }) => severity === 'error' && !location)).toEqual([]);
        for (const { location } of diagnostics) expect(location?.line).toBeGreaterThan(0);
      },
    );
    await fc.assert(property, cases(4000));
  });
  // What one case needs is given back before the next.
  expect(process.memoryUsage().rss).toBeLessThan(1024 ** 3);
});

test('a value of any other type at any key gives errors with locations, and never an exception', async () => {
  const files = { 'attune.yaml': '', 'seed.yaml': '', 'more/a.yaml': 'workspaces: {more: {}}' };
  await inFolder(files, async (folder) => {
    const file = join(folder, 'attune.yaml');
    await writeFile(file, JSON.stringify(everyKey));
    const before = (await loadConfig(folder)).diagnostics;
    expect(before.map(({ code }) => code)).toEqual(['deprecated-operations']);
    const replacements = pathsIn(everyKey).flatMap((path) => otherTypes.map((value) => ({ path, value })));
    for (const { path, value } of sample(replacements, 1500)) {
      await writeFile(file, JSON.stringify(withValue(everyKey, path, value)));
      const { diagnostics, configurations } = await loadConfig(folder);
      expect(configurations.length).toBe(hasErrors(diagnostics) ? 0 : 1);
      expect(renderDiagnostics(diagnostics)).not.toMatch(/undefined|\[object/);
      expect(diagnostics.filter(({ severity, location }) => severity === 'error' && !location)).toEqual([]);
    }
  });
});
