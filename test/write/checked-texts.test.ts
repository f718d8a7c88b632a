import { expect, test } from 'vitest';
import { AttuneError } from '../../src/model/diagnostic.ts';
import { checkedTexts, loadTexts } from '../../src/write/checked-texts.ts';
import { liveState } from '../support/plan-tables.ts';

const root = 'attune.yaml';
const yaml = `attune: 1
organization: acme
scope: {names: ["*"]}
workspaces: {app: {description: words, protect: true}, web: {}}
`;

/** Proposes another text for a file of which nothing is edited. */
async function proposed(text: string): Promise<void> {
  const { configurations } = await loadTexts(new Map([[root, yaml]]), root);
  await checkedTexts(
    () => ({ texts: new Map([[root, text]]), edited: new Map([['workspace.new', () => true]]) }),
    {
      ...{ root, live: liveState(''), namesOf: async () => [], before: configurations[0], isPart: true },
      fail: (reason) => new AttuneError(reason, { code: 'not-importable' }),
    },
  );
}

test.each([
  ['a value', yaml.replace('words', 'other words'), 'workspace.app'],
  ['what protects a workspace', yaml.replace(', protect: true', ''), 'workspace.app'],
  ['that a workspace is declared', yaml.replace(', web: {}', ''), 'workspace.web'],
  ['the scope', yaml.replace('"*"', '"app"'), 'scope'],
])('import --update is refused if it would change %s of the files', async (_what, text, changed) => {
  await expect(proposed(text)).rejects.toThrow(`${changed} would be declared differently`);
});

test('import --update is not refused if it only moves lines', async () => {
  await proposed(yaml.replace('workspaces:', '# moved\nworkspaces:'));
});
