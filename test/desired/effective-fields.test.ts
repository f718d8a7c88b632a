import { expect, test } from 'vitest';
import { effectiveFields } from '../../src/desired/explain.ts';
import { showPlace } from '../../src/model/diagnostic.ts';
import { loadFiles } from './load-files.ts';

const root = `attune: 1
organization: acme
projects: {platform: prj-1}
defaults:
  workspace:
    iac-version: "1.0.0"
    tags: [managed]
    project: platform
    setting-overwrites: {execution-mode: false}
templates: {service: {iac-version: "1.2.0"}}
workspaces:
  plain: {extends: service, execution-mode: remote}
`;

/** Each setting with its declarations, the effective one first, and the entries of a list. */
async function explained(address: string): Promise<string[]> {
  const { configurations, diagnostics } = await loadFiles({ 'attune.yaml': root });
  expect(diagnostics).toEqual([]);
  const [configuration] = configurations;
  if (!configuration) throw new Error('nothing was loaded');
  return effectiveFields(configuration, address).flatMap(
    ({ path, value, origin, lower, entries, removedBy }) => [
      `${path} = ${JSON.stringify(value)}`,
      ...(removedBy
        ? [`  removed by ${removedBy.path} in ${removedBy.layer} ${showPlace(removedBy.location)}`]
        : []),
      ...[origin, ...lower].map(
        (at) => `  ${at.layer} ${showPlace(at.location)} ${JSON.stringify(at.value)}`,
      ),
      ...entries.map(
        (at) => `  ${at.effect} ${JSON.stringify(at.entry)}: ${at.layer} ${showPlace(at.location)}`,
      ),
    ],
  );
}

test('each setting of a workspace has its declarations, the effective one first, and the entries of lists', async () => {
  expect(await explained('workspace.plain')).toMatchInlineSnapshot(`
    [
      "iac-version = "1.2.0"",
      "  template.service attune.yaml:10:23 "1.2.0"",
      "  defaults attune.yaml:6:5 "1.0.0"",
      "tags = {"add":["managed"],"remove":[]}",
      "  defaults attune.yaml:7:5 ["managed"]",
      "  list "managed": defaults attune.yaml:7:12",
      "project = "prj-1"",
      "  defaults attune.yaml:8:5 "platform"",
      "execution-mode = "remote"",
      "  workspace attune.yaml:12:29 "remote"",
      "setting-overwrites.execution-mode = undefined",
      "  removed by execution-mode in workspace attune.yaml:12:29",
      "  defaults attune.yaml:9:26 false",
    ]
  `);
});

test('an address that no file declares has no settings', async () => {
  expect(await explained('workspace.other')).toEqual([]);
});
