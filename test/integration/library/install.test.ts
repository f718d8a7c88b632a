import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../support/pages.ts';

/** The tarball, installed by npm from a registry with each supported Node, and used from an empty folder. */

const folder = mkdtempSync(join(tmpdir(), 'attune-install-'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ownMajor = Number(process.versions.node.split('.')[0]);
const majors = [...new Set([20, 22, 24, ownMajor])].sort();
const npm = npmProgram();

/** npm as a script that another Node can run; `undefined` if it is not where its command leads. */
function npmProgram(): string | undefined {
  const found = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, 'npm'));
  const command = found.find((file) => existsSync(file));
  const script = command && realpathSync(command);
  return script?.endsWith('npm-cli.js') ? script : undefined;
}

/** Whether a registry answers, so that packages can be installed. */
const hasRegistry =
  npm !== undefined && runNpm(process.execPath, ['ping', '--fetch-retries', '0']).status === 0;
if (!hasRegistry) console.warn('The tarball is not installed: no package registry is reachable.');

function runNpm(node: string, argv: readonly string[], cwd = folder) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  const { status, stdout, stderr } = spawnSync(node, [npm ?? '', ...argv, ...flags], {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** A Node of a major version: this one, or one that a package contains. */
function nodeOf(major: number): string {
  if (major === ownMajor) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const place = join(folder, `node-${major}`);
  mkdirSync(place);
  const { status, stderr } = runNpm(process.execPath, ['install', '--prefix', place, `${name}@${major}`]);
  if (status !== 0) throw new Error(stderr);
  return join(place, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node');
}

describe.skipIf(!hasRegistry)('installed by npm with --omit=dev', () => {
  let tarball = '';
  beforeAll(() => {
    const { stdout } = spawnSync(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      { cwd: root, encoding: 'utf8' },
    );
    tarball = join(folder, JSON.parse(stdout)[0].filename);
  });

  test.each(majors)('the quickstart runs from an empty folder on Node %i', (major) => {
    const node = nodeOf(major);
    const cwd = join(folder, `work-${major}`);
    mkdirSync(cwd);
    const installed = runNpm(node, ['install', '--omit=dev', tarball], cwd);
    expect([installed.status, installed.stderr]).toEqual([0, expect.not.stringContaining('EBADENGINE')]);
    const bin = join(cwd, 'node_modules', 'attune', 'dist', 'cli', 'bin.js');
    const attune = (...argv: readonly string[]) => {
      const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' };
      const { status, stdout } = spawnSync(node, [bin, ...argv], { cwd, env, encoding: 'utf8' });
      return [status, stdout];
    };
    const example = join('node_modules', 'attune', 'examples', 'quickstart');
    expect(attune('--version')).toEqual([0, `${version}\n`]);
    expect(attune('init', '--yes', '--ci', 'github')).toEqual([0, expect.stringContaining('attune.yaml')]);
    expect(attune('validate')).toEqual([0, '']);
    expect(attune('apply', '--yes', example)).toEqual([
      0,
      expect.stringContaining('Applied: 3 created, 9 updated, 4 deleted.'),
    ]);
    expect(attune('plan', '--detailed-exitcode', example)).toEqual([
      0,
      expect.stringContaining('No changes.'),
    ]);
  });
});
