import { readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { attune, folderWith, type Ran, type RunOptions, serviceWith } from '../support/attune.ts';
import { codesOnly } from '../support/codes-only.ts';
import { mutatingService } from '../support/mutating-service.ts';

/** The schema that init writes where the repository does not have the package. */
const schema = 'attune.schema.json';

const recipes = join(import.meta.dirname, '..', '..', 'examples', 'ci');

interface Begun extends Ran {
  readonly cwd: string;
  read(name: string): Promise<string>;
}

/** Runs `attune init` in a folder with these files. */
async function begun(
  argv: readonly string[],
  { files = {}, ...options }: Partial<RunOptions> & { readonly files?: Record<string, string> } = {},
): Promise<Begun> {
  const cwd = await folderWith(files);
  const ran = await attune(['init', ...argv], { ...options, cwd });
  return { ...ran, cwd, read: (name) => readFile(join(cwd, name), 'utf8') };
}

describe('attune init', () => {
  test('init without flags uses the embedded service, and its files validate and plan', async () => {
    const { cwd, read, ...ran } = await begun([], { env: { npm_command: 'exec' } });
    expect(ran).toEqual({
      code: 0,
      stdout: `  created      attune.yaml\n  created      ${schema}\n  created      .gitignore\n`,
      stderr: `
Next:
  npm install --save-dev attune
  npx attune validate
  npx attune plan
`,
    });
    const text = await read('attune.yaml');
    expect(
      text.startsWith(
        `# yaml-language-server: $schema=./${schema}\nattune: 1\norganization: acme\n\nservice:\n  address: embedded `,
      ),
    ).toBe(true);
    expect(await read('.gitignore')).toBe('node_modules/\n.attune/\n/plan.*\n/live.json\n');
    expect(await read(schema)).toBe(await readFile(join(recipes, '../../schemas', schema), 'utf8'));

    expect(await attune(['validate'], { cwd })).toMatchObject({ code: 0, stdout: '' });
    expect(await attune(['plan', '--detailed-exitcode'], { cwd })).toEqual({
      code: 0,
      stdout:
        'acme  embedded\n\nNo changes. The live state matches the configuration.\nPlan: 0 to create, 0 to update, 0 to delete, 0 unchanged. 0 calls.\n',
      stderr: '',
    });
  });

  test('init of the image or the executable names commands without npm', async () => {
    expect((await begun([])).stderr).toBe('\nNext:\n  attune validate\n  attune plan\n');
  });

  test('the example in the root file of init is valid after it is uncommented', async () => {
    const { cwd, read } = await begun(['--yes']);
    const text = await read('attune.yaml');
    const whole = text.replace(/^# (?=workspaces:| )/gm, '');
    expect(whole).toContain('\nworkspaces:\n  network-dev:\n');
    const again = await folderWith({ 'attune.yaml': whole });
    expect((await attune(['plan'], { cwd: again })).stdout).toContain('+ workspace.network-dev');
    expect((await stat(join(cwd, 'attune.yaml'))).mode & 0o044).not.toBe(0);
  });

  test.each([
    [
      'github',
      ['attune-plan.yml', 'attune-apply.yml', 'attune-drift.yml', 'attune-due.yml'],
      '.github/workflows',
      'secrets',
    ],
    ['gitlab', ['.gitlab-ci.yml'], '', 'masked variables'],
  ])('init --ci %s adds its recipes', async (system, names, folder, secrets) => {
    const { code, read, stdout, stderr } = await begun(['--ci', system]);
    expect(code).toBe(0);
    for (const name of names) {
      const target = folder === '' ? name : `${folder}/${name}`;
      expect(stdout).toContain(`  created      ${target}\n`);
      expect(await read(target)).toBe(await readFile(join(recipes, system, name), 'utf8'));
    }
    expect(stderr).toContain(
      `  create the ${secrets} ATTUNE_READ_TOKEN (plan) and ATTUNE_TOKEN (apply) for the recipes\n`,
    );
  });

  test('init --ci gitlab adds the script that its recipe runs', async () => {
    const { read } = await begun(['--ci', 'gitlab']);
    expect(await read('ci/gitlab.mjs')).toBe(await readFile(join(recipes, 'gitlab/gitlab.mjs'), 'utf8'));
  });

  test('init accepts another folder, and quotes an organization that YAML would not read as text', async () => {
    const { cwd, stdout, stderr, read } = await begun(['teams/a', '--organization', '1e3']);
    expect(stdout).toBe(
      `  created      teams/a/attune.yaml\n  created      teams/a/${schema}\n  created      teams/a/.gitignore\n`,
    );
    expect(stderr).toContain('  cd teams/a\n');
    expect(await read('teams/a/attune.yaml')).toContain('\norganization: "1e3"\n');
    expect((await attune(['validate', 'teams/a'], { cwd })).code).toBe(0);
  });

  test('init adds missing lines to .gitignore, and keeps the others', async () => {
    const files = { '.gitignore': '# mine\n/node_modules\n*.log' };
    const { stdout, read } = await begun([], { files });
    expect(stdout).toContain('  extended     .gitignore\n');
    expect(await read('.gitignore')).toBe('# mine\n/node_modules\n*.log\n.attune/\n/plan.*\n/live.json\n');
  });

  test('init leaves a complete .gitignore as it is', async () => {
    const files = { '.gitignore': 'plan.*\nnode_modules\n.attune\nlive.json\n' };
    expect((await begun([], { files })).stdout).toBe(
      `  created      attune.yaml\n  created      ${schema}\n`,
    );
  });

  test('init does not suggest to install a package that package.json has', async () => {
    const files = { 'package.json': '{"devDependencies": {"attune": "1"}}' };
    expect((await begun([], { files })).stderr).not.toContain('npm install');
  });

  test('init adds what is missing to a repository with a root file, and leaves what exists byte for byte', async () => {
    const root = '# ours\r\nattune: 1\norganization: acme   # kept\n';
    const files = { 'attune.yaml': root, '.github/workflows/attune-plan.yml': 'name: mine\n' };
    const { code, stdout, stderr, cwd, read } = await begun(['--ci', 'github'], {
      files,
      answer: 'never asked',
    });
    expect([code, stdout]).toEqual([
      0,
      `  kept         attune.yaml
  kept         .github/workflows/attune-plan.yml
  created      .github/workflows/attune-apply.yml
  created      .github/workflows/attune-drift.yml
  created      .github/workflows/attune-due.yml
  created      .gitignore
`,
    ]);
    expect(stderr).toMatch(/^\nNext:/);
    expect(stderr).toContain('  compare .github/workflows/attune-plan.yml, which was kept, ');
    expect(await read('attune.yaml')).toBe(root);
    expect(await read('.github/workflows/attune-plan.yml')).toBe('name: mine\n');

    const again = await attune(['init', '--ci', 'github'], { cwd });
    expect(again.stdout).not.toMatch(/created|extended|overwritten/);
    // The others are as the recipe has them.
    expect(again.stderr.match(/compare \S+/g)).toEqual(['compare .github/workflows/attune-plan.yml,']);
    const forced = await attune(['init', '--ci', 'github', '--force'], { cwd });
    expect(forced.stdout).toContain('  kept         attune.yaml\n');
    expect(forced.stdout).toContain('  overwritten  .github/workflows/attune-plan.yml\n');
    expect(await read('attune.yaml')).toBe(root);
  });

  test.each([
    ['an invalid root file', 'attune: 1\n', '--force'],
    ['a root file that is not YAML', 'attune: [\n', '--force'],
    ['a file with comments only', '# later: workspaces\n', '--yes'],
  ])('init leaves %s as it is', async (_what, text, flag) => {
    const { code, stdout, read } = await begun([flag], { files: { 'attune.yaml': text } });
    expect([code, stdout]).toEqual([0, expect.stringContaining('  kept         attune.yaml\n')]);
    expect(await read('attune.yaml')).toBe(text);
  });

  test('init fills an empty attune.yaml, and with --force one that has only comments', async () => {
    const empty = await begun([], { files: { 'attune.yaml': '\n' } });
    expect(empty.stdout).toContain('  overwritten  attune.yaml\n');
    expect(await empty.read('attune.yaml')).toContain('organization: acme');
    const comments = await begun(['--force'], { files: { 'attune.yaml': '# x\n' } });
    expect(await comments.read('attune.yaml')).toContain('organization: acme');
  });

  test.each([
    ['--organization', ['--organization', 'other']],
    ['--address', ['--address', 'embedded', '--force']],
    ['--import', ['--import', '--organization', 'acme', '--force']],
  ])('init refuses %s where a root file exists', async (flag, argv) => {
    const files = { 'attune.yaml': 'attune: 1\norganization: acme\n' };
    const { code, stdout, stderr, read } = await begun(argv, { files });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      `error[file-exists]: attune.yaml exists already, and ${flag} is for a new root file; no files were written\n`,
    );
    await expect(read('.gitignore')).rejects.toThrow('ENOENT');
  });

  test('init writes recipes for all root files of a repository', async () => {
    const files = {
      'teams/a/attune.yaml': 'attune: 1\norganization: acme\n',
      'teams/b/attune.yaml': 'attune: 1\norganization: beta\n',
      'legacy.yaml': 'attune: 1\norganization: acme\n',
      'teams/a/more.yaml': 'workspaces: {}\n',
    };
    const github = await begun(['--ci', 'github'], { files });
    expect([github.code, github.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^ {2}kept {9}legacy\.yaml\n {2}kept {9}teams\/a\/attune\.yaml\n {2}kept {9}teams\/b\/attune\.yaml\n {2}created/,
      ),
    ]);
    await expect(github.read('attune.yaml')).rejects.toThrow('ENOENT');
    const recipes = {
      '.github/workflows/attune-plan.yml': ['validate', 'plan'],
      '.github/workflows/attune-apply.yml': ['apply'],
      '.github/workflows/attune-drift.yml': ['drift'],
      '.github/workflows/attune-due.yml': ['apply'],
      '.gitlab-ci.yml': ['validate', 'plan', 'apply', 'apply', 'drift'],
    };
    const gitlab = await begun(['--ci', 'gitlab'], { files });
    for (const [file, commands] of Object.entries(recipes)) {
      const recipe = await (file === '.gitlab-ci.yml' ? gitlab : github).read(file);
      const ran = [...recipe.matchAll(/\battune(?:@0\.1\.0)? (\w+) (.*?) --/g)].map(([, ...words]) => words);
      expect(ran).toEqual(commands.map((command) => [command, 'legacy.yaml teams/a teams/b']));
      expect(recipe).not.toMatch(/attune\S* snapshot|--snapshot|fetch-snapshot/);
    }
    const text = await gitlab.read('.gitlab-ci.yml');
    expect(Object.keys(parse(text))).toContain('drift');
  });

  test('init names the one root file of a repository that is in a folder, snapshots included', async () => {
    const files = { 'prod/attune.yaml': 'attune: 1\norganization: acme\n' };
    const { read } = await begun(['--ci', 'github'], { files });
    expect(await read('.github/workflows/attune-drift.yml')).toContain(' snapshot prod --out live.json\n');
    expect(await read('.github/workflows/attune-plan.yml')).toContain(
      ' plan prod --snapshot snapshot/live.json --base HEAD^1 ',
    );
  });

  test('init refuses a root file whose path a recipe would read as something else', async () => {
    const name = '$' + '{{ secrets.ATTUNE_TOKEN }}';
    const files = { [`${name}/attune.yaml`]: 'attune: 1\norganization: acme\n' };
    const { code, stderr, read } = await begun(['--ci', 'github'], { files });
    expect([code, codesOnly(stderr)]).toEqual([1, 'error[usage]\n']);
    await expect(read('.gitignore')).rejects.toThrow('ENOENT');
  });

  test.each([
    ['.', './node_modules/attune/schemas/attune.schema.json'],
    ['teams/a', '../../node_modules/attune/schemas/attune.schema.json'],
  ])('the first line of a root file in %s names the schema of the installed package', async (dir, path) => {
    const files = { 'package.json': '{"devDependencies": {"attune": "1"}}' };
    const { read } = await begun([dir], { files });
    expect(await read(`${dir}/attune.yaml`)).toMatch(`# yaml-language-server: $schema=${path}\n`);
  });

  test('a package above the repository is not its package', async () => {
    const files = { 'package.json': '{"dependencies": {"attune": "1"}}', 'own/.git/HEAD': '' };
    const { read } = await begun(['own'], { files });
    expect(await read('own/attune.yaml')).toContain(`$schema=./${schema}\n`);
    expect(await read(`own/${schema}`)).toContain('"$defs"');
  });

  test('init names the schema that another root file of the repository has', async () => {
    const files = { '.git/HEAD': '', [schema]: '{}' };
    const { stdout, read } = await begun(['teams/a'], { files });
    expect(stdout).not.toContain(schema);
    expect(await read('teams/a/attune.yaml')).toContain(`$schema=../../${schema}\n`);
  });

  test.each([{}, { 'attune.yaml': '' }])(
    'init refuses the name of a file, because it needs a folder: %j',
    async (files) => {
      expect(await begun(['attune.yaml'], { files })).toMatchObject({
        code: 1,
        stderr:
          'error[usage]: attune.yaml is not a folder\n  hint: name the folder of the new configuration\n',
      });
    },
  );

  test('init reports a folder that cannot be created', async () => {
    const { code, stderr, read } = await begun(['--ci', 'github'], { files: { '.github': '' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error\[file-not-written\]: the folder .*\/\.github\/workflows cannot be created: ENOTDIR/,
    );
    await expect(read('attune.yaml')).rejects.toThrow('ENOENT');
  });

  test('init does not follow a link out of the working folder', async () => {
    const [cwd, elsewhere] = await Promise.all([folderWith({}), folderWith({})]);
    await symlink(elsewhere, join(cwd, '.github'));
    const { code, stderr } = await attune(['init', '--ci', 'github'], { cwd });
    expect([code, stderr.replaceAll(cwd, '<folder>').replaceAll(elsewhere, '<elsewhere>')]).toEqual([
      1,
      'error[file-not-written]: the folder <folder>/.github/workflows cannot be created: a link leads to <elsewhere>/workflows, outside the working folder\n',
    ]);
    expect([await readdir(cwd), await readdir(elsewhere)]).toEqual([['.github'], []]);
  });

  test('init reports a .gitignore that is a folder', async () => {
    const { code, stderr } = await begun([], { files: { '.gitignore/x': '' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error\[file-not-written\]: \.gitignore cannot be read: it is a folder/);
  });
});

describe('the address that a browser shows', () => {
  test.each([
    'https://iac.example.com/app/example',
    'https://iac.example.com/app/example/',
    'https://iac.example.com/app/example/workspaces/network?page=2#runs',
  ])('init takes the address and the organization from %s', async (address) => {
    const { code, read, stderr } = await begun(['--address', address, '--yes']);
    expect(code, stderr).toBe(0);
    expect(await read('attune.yaml')).toContain(
      'organization: example\n\nservice:\n  address: https://iac.example.com\n',
    );
  });

  test('init takes an organization with an incomplete escape as it is written', async () => {
    const { code, read } = await begun(['--address', 'https://iac.example.com/app/a%FF', '--yes']);
    expect([code, await read('attune.yaml')]).toEqual([0, expect.stringContaining('organization: a%FF\n')]);
  });

  test('init asks for no organization if the answer about the address has it', async () => {
    const answer = ['https://iac.example.com:8443/app/example/projects', 'no', 'none'];
    const { code, read, stderr } = await begun([], { answer });
    expect([code, stderr.includes('Name of the organization')]).toEqual([0, false]);
    expect(await read('attune.yaml')).toContain('address: https://iac.example.com:8443\n');
  });

  test.each([
    [['--address', 'https://iac.example.com/app', '--yes'], 'error[no-organization]'],
    [['--address', 'https://iac.example.com/app/a%2Fb'], 'error[usage]: invalid organization name "a/b"'],
    [
      ['--address', 'https://iac.example.com/app/one', '--organization', 'two'],
      'error[usage]: --address is a page of organization one, and --organization is two\n  hint: remove --organization, or give the address of the service alone\n',
    ],
  ])('init %j fails', async (argv, message) => {
    const { code, stderr, cwd } = await begun(argv);
    expect([code, stderr, await readdir(cwd)]).toEqual([1, expect.stringContaining(message), []]);
  });
});

describe('the questions of attune init', () => {
  test('init on a terminal asks for address, organization, import and CI', async () => {
    const { code, stderr, read } = await begun([], {
      answer: ['https://iac.example.com', 'example', 'no', 'github'],
    });
    expect(code).toBe(0);
    expect(stderr.split('\nNext:')[0]).toBe(
      'Address of the service, or `embedded` for a trial without an account [embedded]: ' +
        'Name of the organization: ' +
        'Import the live state? yes or no [no]: ' +
        'CI recipes: github, gitlab or none [none]: ',
    );
    expect(stderr).toContain('  export ATTUNE_TOKEN=...    # or: terraform login iac.example.com\n');
    expect(await read('attune.yaml')).toContain(
      'organization: example\n\nservice:\n  address: https://iac.example.com\n',
    );
    await read('.github/workflows/attune-plan.yml');
  });

  test('init takes an empty answer for the default', async () => {
    const { code, stderr, read } = await begun([], { answer: '' });
    expect(code).toBe(0);
    expect(stderr).toContain('Name of the organization [acme]: ');
    expect(await read('attune.yaml')).toContain('address: embedded');
  });

  test('init ignores case and spaces of answers', async () => {
    const { code, read } = await begun([], {
      answer: ['https://iac.example.com', 'example', 'N', 'GitHub'],
    });
    expect(code).toBe(0);
    await read('.github/workflows/attune-plan.yml');
  });

  test('init asks only for values that no flag gives', async () => {
    const argv = ['--organization', 'acme', '--address', 'embedded', '--ci', 'gitlab'];
    expect((await begun(argv, { answer: 'never asked' })).stderr).toMatch(/^\nNext:/);
  });

  test('init --yes asks nothing', async () => {
    expect((await begun(['--yes'], { answer: 'never asked' })).stderr).toMatch(/^\nNext:/);
  });

  test('init suggests the address of the environment', async () => {
    const env = { ATTUNE_ADDRESS: 'https://iac.example.com' };
    const { read } = await begun(['--yes', '--organization', 'acme'], { env });
    expect(await read('attune.yaml')).toContain('address: https://iac.example.com\n');
  });

  test.each<[string[], string | undefined, string]>([
    [
      ['--address', 'https://iac.example.com'],
      undefined,
      'error[no-organization]: init requires an organization for a service address\n  hint: add --organization NAME, or remove --address to use the embedded service\n',
    ],
    [
      ['--organization', 'a b'],
      undefined,
      'error[usage]: invalid organization name "a b"\n  hint: use a name without spaces and slashes\n',
    ],
  ])('the answers %j and then %j to init are refused', async (argv, answer, stderr) => {
    const ran = await begun(argv, answer === undefined ? {} : { answer });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', stderr]);
    await expect(ran.read('attune.yaml')).rejects.toThrow('ENOENT');
  });

  test('init refuses an invalid service address', async () => {
    const { code, stderr, read } = await begun(['--address', 'iac.example.com']);
    expect([code, codesOnly(stderr)]).toEqual([1, 'error[bad-address]\n']);
    await expect(read('attune.yaml')).rejects.toThrow('ENOENT');
  });
});

test('init asks again after an answer that is not valid', async () => {
  const { code, stderr, read } = await begun([], {
    answer: [
      'iac.example.com',
      'https://iac.example.com',
      '',
      'a b',
      'example',
      'perhaps',
      'no',
      'jenkins',
      'gitlab',
    ],
  });
  expect(code).toBe(0);
  expect(stderr.split('\nNext:')[0]).toBe(
    'Address of the service, or `embedded` for a trial without an account [embedded]: invalid service address "iac.example.com"\n' +
      'Address of the service, or `embedded` for a trial without an account [embedded]: ' +
      'Name of the organization: init requires an organization for a service address\n' +
      'Name of the organization: invalid organization name "a b"\n' +
      'Name of the organization: ' +
      'Import the live state? yes or no [no]: invalid answer "perhaps": expected yes or no\n' +
      'Import the live state? yes or no [no]: ' +
      'CI recipes: github, gitlab or none [none]: invalid answer "jenkins": expected github, gitlab or none\n' +
      'CI recipes: github, gitlab or none [none]: ',
  );
  expect(await read('attune.yaml')).toContain('address: https://iac.example.com\n');
  await read('.gitlab-ci.yml');
});

describe('attune init --import', () => {
  const seed = {
    organization: 'acme',
    projects: { Platform: 'prj-platform' },
    workspaces: { network: { project: 'Platform', tags: ['prod'] }, app: {} },
  };
  const env = { ATTUNE_TOKEN: 'test-token' };

  test('init --import writes the live state to the files, so that the next plan is empty', async () => {
    const { url } = await serviceWith({ seed });
    const argv = ['--organization', 'acme', '--address', url, '--import', '--ci', 'github'];
    const { code, cwd, stdout, read } = await begun(argv, { env });
    expect(code).toBe(0);
    expect(stdout).toContain('Imported: 2 workspaces');
    expect(stdout).toContain('  created      .github/workflows/attune-plan.yml\n');
    expect(await read('attune.yaml')).toContain(`address: ${url}`);
    const planned = await attune(['plan', '--detailed-exitcode'], { cwd, env });
    expect([planned.code, planned.stdout]).toEqual([
      0,
      expect.stringContaining('Plan: 0 to create, 0 to update, 0 to delete'),
    ]);
  });

  test('init --import writes no file if the import fails', async () => {
    const { url } = await serviceWith({ seed });
    const argv = ['--organization', 'elsewhere', '--address', url, '--import'];
    const { code, stderr, read } = await begun(argv, { env });
    expect(code).toBe(1);
    expect(stderr).toContain('answered 404');
    await expect(read('.gitignore')).rejects.toThrow('ENOENT');
  });

  test('init --import writes all files and exits with 1 if the import leaves out a workspace', async () => {
    const emulator = await serviceWith({ seed });
    const service = await mutatingService(emulator.url);
    service.mutate = (text) => text.replaceAll('"name":"app"', '"name":"the app"');
    const argv = ['--organization', 'acme', '--address', service.url, '--import'];
    const { code, stdout, read } = await begun(argv, { env });
    expect([code, stdout]).toEqual([1, expect.stringContaining(' Left out: 1 workspace.\n')]);
    expect(await read('attune.yaml')).toContain('organization: acme');
    expect(await read('.gitignore')).toContain('.attune');
  });

  test('init --import overwrites nothing without --force', async () => {
    const { url } = await serviceWith({ seed });
    const argv = ['--organization', 'acme', '--address', url, '--import'];
    const { code, stderr } = await begun(argv, { env, files: { 'attune.yaml': 'attune: 1\n' } });
    expect(code).toBe(1);
    expect(stderr).toContain('error[file-exists]');
  });
});
