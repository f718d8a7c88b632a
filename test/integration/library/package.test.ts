import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../support/pages.ts';
import { compileStrictly, linkPackages } from '../../support/program-folder.ts';

/** The packed package, installed into an empty folder as npm does it, without asking a registry. */

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const lock: Readonly<Record<string, LockedPackage>> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages;

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly deprecated?: string;
}

/** The packages of an installation, by path. */
const production = Object.keys(lock)
  .filter((place) => place !== '' && !lock[place]?.dev && !lock[place]?.devOptional)
  .sort();

const folder = mkdtempSync(join(tmpdir(), 'attune-package-'));
const installed = join(folder, 'node_modules', 'attune');
let packed: { size: number; files: readonly { path: string; size: number }[]; tarball: string };

beforeAll(() => {
  packed = pack();
  install();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pack(): typeof packed {
  const argv = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = spawnSync('npm', argv, { cwd: root, encoding: 'utf8' });
  const [{ size, files, filename }] = JSON.parse(stdout);
  return { size, files, tarball: join(folder, filename) };
}

/** Copies, where links would find the packages of the checkout that only its tests need. */
function install(): void {
  mkdirSync(installed, { recursive: true });
  spawnSync('tar', ['-xzf', packed.tarball, '-C', installed, '--strip-components', '1']);
  for (const place of production) cpSync(join(root, place), join(folder, place), { recursive: true });
  for (const [name, path] of Object.entries<string>(manifest.bin)) {
    const link = join(folder, 'node_modules', '.bin', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join('..', manifest.name, path), link);
    chmodSync(join(installed, path), 0o755);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
}

test('an installation of Attune adds these packages and no others', () => {
  // js-yaml/node_modules/argparse is the command line of js-yaml, which Attune does not use.
  expect(production.map((place) => place.replace('node_modules/', '')).join(' ')).toBe(
    '@marcbachmann/cel-js @opentelemetry/api ajv bintrees commander croner diff fast-deep-equal fast-uri ' +
      'fast-xml-builder fastest-levenshtein js-yaml js-yaml/node_modules/argparse json-schema-traverse p-limit ' +
      'path-expression-matcher prom-client re2js require-from-string tdigest undici xml-naming yaml yocto-queue',
  );
});

test('an installation of Attune runs no script and has no deprecated package', () => {
  const suspicious = production.filter((place) => lock[place]?.hasInstallScript || lock[place]?.deprecated);
  expect(suspicious).toEqual([]);
  // npm reports them for a tarball, although it runs `prepare` only for a checkout.
  const reported = ['preinstall', 'install', 'postinstall', 'prepare'];
  expect(reported.filter((name) => name in manifest.scripts)).toEqual([]);
});

test('the tarball is smaller than 1.4 MB', () => {
  const unpacked = packed.files.reduce((sum, { size }) => sum + size, 0);
  const [size, all] = [packed.size, unpacked].map((bytes) => `${Math.round(bytes / 1000)} kB`);
  console.log(`npm pack: ${size}, ${packed.files.length} files, ${all} unpacked`);
  expect(packed.size).toBeLessThan(1_400_000);
});

test('the tarball has the files that users run and read, and no others', () => {
  const folders = new Set(packed.files.map(({ path }) => (path.includes('/') ? path.split('/')[0] : path)));
  const expected = 'LICENSE README.md completions dist docs examples package.json schemas';
  expect([...folders].sort().join(' ')).toBe(expected);
  const unwanted = /\.map$|\.attune\b|node_modules|\.test\.|^docs\/(api|images)/;
  expect(packed.files.filter(({ path }) => unwanted.test(path))).toEqual([]);
});

test('the README of the tarball has links to files of the repository that registries resolve', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const targets = [...readme.matchAll(/\]\(([^)\s#]+)/g)].map(([, target = '']) => target);
  const missing = targets.filter((target) => !/^https:/.test(target) && !existsSync(join(root, target)));
  expect(targets.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

test('the tarball has the pages that messages name, and no other page', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) =>
      readFileSync(join(root, 'src', file), 'utf8').replace(/^ *(\/\*)?\*.*$|learnMore\b.*/gm, ''),
    );
  const named = new Set(sources.flatMap((text) => text.match(/\bdocs\/[\w/-]+\.md/g) ?? []));
  const pages = packed.files.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
  expect(pages.sort()).toEqual([...named].sort());
});

test('the tarball has the types of every entry point, and no other declarations', () => {
  const types = Object.values<{ types?: string }>(manifest.exports).flatMap((target) => target.types ?? []);
  expect(types.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
  expect(existsSync(join(installed, 'dist', 'cli', 'bin.js'))).toBe(true);
  expect(existsSync(join(installed, 'dist', 'cli', 'run.d.ts'))).toBe(false);
});

test.each([
  ['publint', ['--strict']],
  ['attw', ['--profile', 'esm-only', '--format', 'ascii']],
] as const)('the tarball passes the checks of %s', (tool, flags) => {
  const bin = join(root, 'scripts', 'node_modules', '.bin', tool);
  const { status, stdout, stderr } = spawnSync(bin, [packed.tarball, ...flags], { encoding: 'utf8' });
  expect({ status, reported: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, reported: '' });
  // Which shows that it looked.
  expect(stdout).toContain(tool === 'publint' ? 'All good!' : '"attune/cdktf"');
});

/** This Node, and whichever others ATTUNE_NODES names. */
const nodes = [process.execPath, ...(process.env.ATTUNE_NODES?.split(delimiter).filter(Boolean) ?? [])].map(
  (node) => ({ node, version: spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim() }),
);

function environment(node: string): NodeJS.ProcessEnv {
  return { PATH: `${dirname(node)}${delimiter}${process.env.PATH}`, HOME: folder };
}

function runIn(cwd: string, node: string, argv: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(node, argv, { cwd, env: environment(node), encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe.each(nodes)('installed into an empty folder, on Node $version', ({ node, version }) => {
  const run = (argv: readonly string[]) => runIn(folder, node, argv);
  const attune = (...argv: readonly string[]) =>
    run([join(folder, 'node_modules', '.bin', 'attune'), ...argv]);

  test(`the installed command runs through its link on Node ${version}`, () => {
    expect(attune('--version')).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  test(`npx finds the installed command on Node ${version}`, () => {
    const argv = ['--no-install', '--offline', 'attune', '--version'];
    const { stdout } = spawnSync('npx', argv, { cwd: folder, env: environment(node), encoding: 'utf8' });
    expect(stdout).toBe(`${manifest.version}\n`);
  });

  test(`the installed program validates and plans with the embedded service on Node ${version}`, () => {
    rmSync(join(folder, '.attune'), { recursive: true, force: true });
    const policy = `{id: short, on: workspace, require: 'workspace.name.matches("^.{1,20}$")', message: use a shorter name}`;
    const yaml = `attune: 1\norganization: acme\nservice: {address: embedded}\nworkspaces: {network: {tags: [prod]}}\n`;
    writeFileSync(join(folder, 'attune.yaml'), `${yaml}policies: [${policy}]\n`);
    expect(attune('validate')).toMatchObject({ status: 0, stdout: '' });
    const planned = attune('plan', '--detailed-exitcode', '--report', 'plan.html', '--report', 'plan.xml');
    expect(planned).toMatchObject({ status: 2, stderr: '' });
    expect(planned.stdout).toContain(
      'Plan: 1 to create, 0 to update, 0 to delete, 0 unchanged. 2 calls. 1 policy: 1 met.',
    );
    expect(readFileSync(join(folder, 'plan.html'), 'utf8')).toContain('<style>');
    expect(readFileSync(join(folder, 'plan.xml'), 'utf8')).toContain('<testsuite name="acme" tests="1"');
    expect(attune('apply', '--yes')).toMatchObject({ status: 0 });
    expect(attune('plan', '--detailed-exitcode')).toMatchObject({ status: 0 });
  });

  test(`the library and the embedded service need no other package on Node ${version}`, () => {
    const program = `
      const { loadConfig } = await import('attune');
      const { createService } = await import('attune/service');
      const { startEmulator } = await import('attune/emulator');
      console.log(typeof createService, typeof loadConfig, typeof startEmulator);`;
    const stdout = 'function function function\n';
    expect(run(['--input-type=module', '--eval', program])).toEqual({ status: 0, stdout, stderr: '' });
  });
});

// What the image does: another user than root, without a home, and nothing that it may write.
test.skipIf(process.platform === 'win32')(
  'the installed program validates and plans in a folder that its user cannot write',
  () => {
    const cwd = join(folder, 'read-only');
    mkdirSync(cwd);
    // The embedded service keeps its data; a live service needs no such folder.
    mkdirSync(join(cwd, 'data'));
    chmodSync(join(cwd, 'data'), 0o777);
    const service = '{address: embedded, data: data/embedded.json}';
    const yaml = `attune: 1\norganization: acme\nservice: ${service}\nworkspaces: {network: {}}\n`;
    writeFileSync(join(cwd, 'attune.yaml'), yaml);
    chmodSync(cwd, 0o555);
    chmodSync(folder, 0o755);
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const env = { PATH: dirname(process.execPath), HOME: '/nonexistent', TMPDIR: cwd };
    const bin = join(installed, manifest.bin.attune);
    const run = (...argv: readonly string[]) => {
      const options = { cwd, env, encoding: 'utf8', ...user } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...argv], options);
      return { status, stdout, stderr };
    };
    expect(run('--version')).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
    expect(run('validate')).toMatchObject({ status: 0, stdout: '' });
    expect(run('plan')).toMatchObject({ status: 0, stdout: expect.stringContaining('Plan: 1 to create') });
    expect(run('apply', '--yes')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('error[journal-not-written]'),
    });
  },
);

/** Only now: until here nothing could lean on them. */
describe('with its optional peers', () => {
  beforeAll(() => {
    const peers = ['@types/node', 'undici-types', ...Object.keys(manifest.peerDependencies)];
    linkPackages(folder, Object.fromEntries(peers.map((name) => [name, join(root, 'node_modules', name)])));
  });

  test.each(nodes)(
    'every entry point can be imported with its optional peers, on Node $version',
    ({ node }) => {
      const entries = Object.keys(manifest.exports).filter((path) => !/\*|\.json$/.test(path));
      const imports = entries
        .map((path) => `await import('${path.replace('.', manifest.name)}');`)
        .join('\n');
      const ran = runIn(folder, node, ['--input-type=module', '--eval', imports]);
      expect(ran).toEqual({ status: 0, stdout: '', stderr: '' });
    },
  );

  test.each(['node16', 'nodenext', 'bundler'] as const)(
    'a program that uses the library compiles with the module resolution %s',
    (moduleResolution) => {
      writeFileSync(join(folder, 'program.ts'), program);
      expect(compileStrictly(folder, { moduleResolution })).toBe('');
    },
  );
});

const program = `
  import { createServiceClient, loadConfig, makePlan, serviceSource, type Plan } from 'attune';
  import { createService } from 'attune/service';
  import { App, Organization, Workspace } from 'attune/constructs';
  import { WorkspaceConfiguration } from 'attune/cdktf';
  import { startEmulator, type Emulator } from 'attune/emulator';

  const emulator: Emulator = await startEmulator();
  const client = createServiceClient({ address: new URL(emulator.url) });
  const { configurations } = await loadConfig('attune.yaml');
  export const plans: Plan[] = await Promise.all(
    configurations.map((each) => makePlan(each, { source: serviceSource(client), address: emulator.url })),
  );
  export const mode = (await createService(client).workspaces.show('ws-1')).attributes['execution-mode'];
  new Workspace(new Organization(new App(), 'acme'), 'network', { autoApply: true });
  // @ts-expect-error: a name is a text
  await createService(client).workspaces.create('acme', { name: 1 });
  export { WorkspaceConfiguration };
`;

test('the program is bundled with the licences of the packages in it', () => {
  const notices = readFileSync(join(installed, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const names =
    '@marcbachmann/cel-js commander croner fast-xml-builder fastest-levenshtein js-yaml p-limit ' +
    'path-expression-matcher undici xml-naming yaml yocto-queue';
  const titles = names.split(' ').map((name) => `${name} ${lock[`node_modules/${name}`]?.version}`);
  expect([...notices.matchAll(/^=+\n(.*) \(\w+\)\n=+$/gm)].map(([, title]) => title)).toEqual(titles);
  expect(notices).toContain('Permission is hereby granted, free of charge');
});

test('a program of --app uses the installed library, not a second copy', () => {
  const program = `
      import { App, Organization, Workspace } from 'attune/constructs';
      const app = new App();
      const acme = new Organization(app, 'acme', { service: { address: 'embedded' } });
      if (!(acme instanceof Organization)) throw new Error('two copies');
      new Workspace(acme, 'network-prod', { autoApply: false });
      await app.synth();
    `;
  writeFileSync(join(folder, 'main.mjs'), program);
  linkPackages(folder, { constructs: join(root, 'node_modules', 'constructs') });
  const argv = [join(folder, 'node_modules', '.bin', 'attune'), 'plan', '--app', 'node main.mjs'];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('1 to create');
});
