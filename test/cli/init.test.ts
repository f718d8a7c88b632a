import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { mutatingService } from '../support/mutating-service.ts';
import { rowsIn } from '../support/rows.ts';

const root = join(import.meta.dirname, '..', '..');

test.each(rowsIn<[string, string[], string]>`
- [github, [attune-plan.yml, attune-apply.yml, attune-drift.yml, attune-due.yml], .github/workflows]
- [gitlab, [.gitlab-ci.yml], .]
- [gitlab, [gitlab.mjs], ci]
`)(
  'init --ci %s writes the recipes of examples/ci: %j, and files that all may read',
  async (system, names, folder) => {
    const cwd = await folderWith({});
    expect((await attune(['init', '--ci', system], { cwd })).code).toBe(0);
    for (const name of names)
      expect(await readFile(join(cwd, folder, name), 'utf8')).toBe(
        await readFile(join(root, 'examples/ci', system, name), 'utf8'),
      );
    const schema = 'attune.schema.json';
    expect(await readFile(join(cwd, schema), 'utf8')).toBe(
      await readFile(join(root, 'schemas', schema), 'utf8'),
    );
    expect((await stat(join(cwd, 'attune.yaml'))).mode & 0o044).not.toBe(0);
  },
);

test('init --import writes all files and exits with 1 if the import leaves out a workspace', async () => {
  const seed = { workspaces: { network: {}, app: {} } };
  const service = await mutatingService((await serviceWith({ seed })).url);
  service.mutate = (text) => text.replaceAll('"name":"app"', '"name":"the app"');
  const cwd = await folderWith({});
  const argv = ['init', '--organization', 'acme', '--address', service.url, '--import'];
  const { code, stdout } = await attune(argv, { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
  expect([code, stdout]).toEqual([1, expect.stringContaining(' Left out: 1 workspace.\n')]);
  expect(await readFile(join(cwd, 'attune.yaml'), 'utf8')).toContain('organization: acme');
  expect(await readFile(join(cwd, '.gitignore'), 'utf8')).toContain('.attune');
});
