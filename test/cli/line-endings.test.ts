import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

/** Files that Git or an editor on Windows writes, on any system. */

const env = { ATTUNE_TOKEN: 'test-token' };
const crlf = (text: string) => text.replaceAll('\n', '\r\n');

const yaml = `attune: 1
organization: acme
# Shared networks.
workspaces:
  network:
    auto-apply: false   # reviewed
    tags: [prod]
  app: {}
`;
const seed = {
  organization: 'acme',
  workspaces: { network: { 'auto-apply': true, tags: ['prod'] }, app: {}, new: {} },
};

describe('files with Windows line ends', () => {
  test('accept keeps the line ends and the comments of a file with Windows line ends', async () => {
    const service = await serviceWith({ seed });
    const cwd = await folderWith({ 'attune.yaml': crlf(yaml) });
    const { code, stderr } = await attune(['accept', '--all', '--address', service.url], {
      cwd,
      env,
    });
    const text = await readFile(join(cwd, 'attune.yaml'), 'utf8');
    expect([code, stderr, text]).toEqual([
      0,
      '',
      crlf(yaml.replace('auto-apply: false', 'auto-apply: true')),
    ]);
  });

  test('init adds lines to a .gitignore with Windows line ends with the same line ends', async () => {
    const cwd = await folderWith({ '.gitignore': '*.log\r\nnode_modules\r\n' });
    await attune(['init', '--yes'], { cwd });
    expect(await readFile(join(cwd, '.gitignore'), 'utf8')).toBe(
      '*.log\r\nnode_modules\r\n.attune/\r\n/plan.*\r\n/live.json\r\n',
    );
  });
});
