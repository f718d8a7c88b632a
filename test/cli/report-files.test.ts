import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reportFileExtensions } from '../../src/report/report.ts';
import { attune, folderWith, type World, worldWith } from '../support/attune.ts';
import { expectMode } from '../support/expect-mode.ts';

const yaml = 'attune: 1\norganization: acme\nworkspaces: {network: {auto-apply: true}}\n';
const seed = { organization: 'acme', workspaces: { network: {} } };
/** Root writes everywhere, and Windows ignores the mode of a folder. */
const writesEverywhere = process.platform === 'win32' || process.getuid?.() === 0;

async function world(): Promise<World> {
  const made = await worldWith({ 'attune.yaml': yaml, 'a-file/.keep': '', plain: 'text' }, { seed });
  expect((await made.attune('plan', '--out', 'plan.json')).code).toBe(0);
  await mkdir(join(made.folder, 'folder.md'));
  await mkdir(join(made.folder, 'closed'), { mode: 0o555 });
  await symlink(await folderWith({}), join(made.folder, 'linked'));
  return made;
}

const commands = [
  ['apply', ['apply', '--yes']],
  ['apply --plan', ['apply', '--plan', 'plan.json', '--yes']],
  ['plan', ['plan']],
  ['drift', ['drift']],
] as const;

describe.each(commands)(
  '%s with a report that cannot be written asks nothing of the service',
  (command, argv) => {
    const closing = command.startsWith('apply') ? 'No changes were made.\n' : '';

    async function failing(name: string): Promise<string> {
      const { attune, folder, requests } = await world();
      const before = await readdir(folder);
      // One that can be written does not make up for it, and is not written either.
      const { code, stdout, stderr } = await attune(...argv, '--report', 'fine.md', '--report', name);
      expect([code, stdout, requests()]).toEqual([1, '', []]);
      expect(await readdir(folder)).toEqual(before);
      return stderr.replaceAll(folder, '<folder>');
    }

    test(`${command} with a report sends no request if the folder of the report does not exist`, async () => {
      expect(await failing('missing/report.md')).toBe(
        `error[file-not-written]: --report missing/report.md cannot be written: the folder <folder>/missing does not exist\n  hint: create the folder, or name another file\n${closing}`,
      );
    });

    test(`${command} with a report sends no request if the folder of the report is a file`, async () => {
      expect(await failing('plain/report.md')).toBe(
        `error[file-not-written]: --report plain/report.md cannot be written: the folder <folder>/plain does not exist\n  hint: create the folder, or name another file\n${closing}`,
      );
    });

    test(`${command} with a report sends no request if the report is a folder`, async () => {
      expect(await failing('folder.md')).toBe(
        `error[file-not-written]: --report folder.md cannot be written: it is a folder\n  hint: name a file in it\n${closing}`,
      );
    });

    test(`${command} with a report sends no request if the folder of the report is a link out of the working folder`, async () => {
      expect(await failing('linked/report.md')).toMatch(
        /^error\[file-not-written\]: --report linked\/report.md cannot be written: the folder <folder>\/linked is a link to \S+, outside the working folder\n/,
      );
    });

    test.each(['report', 'report.pdf', 'report.yaml', '.md'])(
      `${command} with a report of an unknown extension sends no request: %s`,
      async (name) => {
        expect(await failing(name)).toBe(
          `error[file-not-written]: --report ${name}: unknown file extension\n  hint: use one of the extensions ${reportFileExtensions.join(', ')}\n${closing}`,
        );
      },
    );

    // Nothing keeps root from writing.
    test.skipIf(writesEverywhere)(
      `${command} with a report in a folder that is read-only sends no request`,
      async () => {
        expect(await failing('closed/report.md')).toBe(
          `error[file-not-written]: --report closed/report.md cannot be written: the folder <folder>/closed is not writable\n  hint: make the folder writable, or name another file\n${closing}`,
        );
      },
    );
  },
);

describe.each([['plan'], ['snapshot']])(
  '%s --out that cannot be written asks nothing of the service',
  (command) => {
    test.each([
      [
        'missing/out.json',
        'the folder <folder>/missing does not exist',
        'create the folder, or name another file',
      ],
      ['folder.md', 'it is a folder', 'name a file in it'],
    ])(`${command} --out that cannot be written sends no request: %s`, async (name, why, hint) => {
      const { attune, folder, requests } = await world();
      const { code, stdout, stderr } = await attune(command, '--out', name);
      expect([code, stdout, requests()]).toEqual([1, '', []]);
      expect(stderr.replaceAll(folder, '<folder>')).toBe(
        `error[file-not-written]: --out ${name} cannot be written: ${why}\n  hint: ${hint}\n`,
      );
    });

    test.skipIf(writesEverywhere)(
      `${command} --out in a folder that is read-only sends no request`,
      async () => {
        const { attune, requests } = await world();
        const { code, stderr } = await attune(command, '--out', 'closed/out.json');
        expect([code, requests()]).toEqual([1, []]);
        expect(stderr).toContain('may not be written to');
      },
    );
  },
);

test.each([
  ['plan --out same.json --report same.json', '--out and --report'],
  ['plan --out same.json --report ./same.json', '--out and --report'],
  ['apply --yes --journal same.json --report same.json', '--journal and --report'],
  ['drift --report same.json --report same.json', 'two --report flags'],
])('%s is an error before anything is read or written', async (command, flags) => {
  const { attune, folder, requests } = await worldWith({ 'attune.yaml': yaml }, { seed });
  const { code, stdout, stderr } = await attune(...command.split(' '));
  expect([code, stdout, requests(), existsSync(join(folder, 'same.json'))]).toEqual([1, '', [], false]);
  expect(stderr).toContain(`error[usage]: ${flags} name the same file: `);
  expect(stderr).toContain('\n  hint: give --report another file\n');
});

test('a written report is readable by its owner only, and replaces a link without following it', async () => {
  const elsewhere = await folderWith({ 'target.md': 'untouched' });
  const { attune, folder } = await worldWith({ 'attune.yaml': yaml, 'real/.keep': '' }, { seed });
  await symlink(join(folder, 'real'), join(folder, 'inside'));
  await symlink(join(elsewhere, 'target.md'), join(folder, 'inside/plan.md'));
  const written = ['inside/plan.json', 'inside/plan.md', join(elsewhere, 'plan.html')];
  const [out = '', ...reports] = written;
  const { code } = await attune('plan', '--out', out, ...reports.flatMap((name) => ['--report', name]));
  expect(code).toBe(0);
  for (const name of written) {
    const file = await lstat(resolve(folder, name));
    expect([name, file.isFile()]).toEqual([name, true]);
    await expectMode(resolve(folder, name), 0o600);
  }
  expect(await readFile(join(elsewhere, 'target.md'), 'utf8')).toBe('untouched');
});

test('the page of a run shows its commit and its job, also when it is printed', async () => {
  const { folder, service } = await worldWith(yaml, { seed });
  const env = {
    ATTUNE_TOKEN: 'test-token',
    GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'acme/infra',
    GITHUB_RUN_ID: '7',
  };
  const argv = ['plan', '--address', service.url, '--format', 'html', '--report', 'plan.html'];
  const { stdout } = await attune(argv, { cwd: folder, env });
  const head = /<header[\s\S]*?<\/header>/;
  expect(head.exec(stdout)?.[0]).toContain('commit <code>0123456789ab</code>');
  expect(head.exec(stdout)?.[0]).toContain('https://github.example/acme/infra/actions/runs/7');
  expect(await readFile(join(folder, 'plan.html'), 'utf8')).toContain('<code>0123456789ab</code>');
});
