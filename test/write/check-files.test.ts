import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/desired/load-config.ts';
import type { Live } from '../../src/live/read-live.ts';
import { checkUnchanged } from '../../src/write/check-files.ts';
import { folderWith } from '../support/attune.ts';

const live: Live = {
  state: { organization: 'acme', resources: new Map() },
  dialect: 'iac',
  whole: true,
  scopeWhole: true,
  names: new Map(),
  projects: [],
  missing: [],
  diagnostics: [],
};
const head = 'attune: 1\norganization: acme\nscope: {names: ["*"]}\n';
const yaml = `${head}workspaces: {app: {description: words, protect: true}, web: {}}\n`;

/** What the check of an update finds when a file has another text than before. */
async function check(text: string) {
  const folder = await folderWith({ 'attune.yaml': yaml });
  const { configurations } = await loadConfig(join(folder, 'attune.yaml'));
  const [before] = configurations;
  if (before === undefined) throw new Error('the file has errors');
  const files = new Map([['attune.yaml', text]]);
  return checkUnchanged({ files, root: 'attune.yaml', live, chosen: () => false, before });
}

test.each([
  ['a value', yaml.replace('words', 'other words'), 'workspace.app'],
  ['what protects a workspace', yaml.replace(', protect: true', ''), 'workspace.app'],
  ['that a workspace is declared', yaml.replace(', web: {}', ''), 'workspace.web'],
  ['the scope', yaml.replace('"*"', '"app"'), 'scope'],
])('import --update is refused if it would change %s of the files', async (_what, text, changed) => {
  expect(await check(text)).toEqual([{ reason: `adding to them would change ${changed}` }]);
});

test('import --update is not refused if it only moves lines', async () => {
  expect(await check(yaml.replace('workspaces:', '# moved\nworkspaces:'))).toEqual([]);
});
