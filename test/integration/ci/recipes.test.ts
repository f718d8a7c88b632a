import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith } from '../../support/attune.ts';
import { readAction, readPipeline, readWorkflow, recipes, root } from './stage.ts';

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const ownAction = `${new URL(manifest.homepage).pathname.slice(1)}@v${manifest.version}`;
const workflows = await readdir(join(recipes, 'github'));
const pipelines = (await readdir(join(recipes, 'gitlab'))).filter((name) => name.endsWith('.yml'));
const files = [
  ...workflows.map((name) => join(recipes, 'github', name)),
  ...pipelines.map((name) => join(recipes, 'gitlab', name)),
];

test('no CI job uses a cache of compiled code, because a job could find one that it did not write', async () => {
  const off = { NODE_DISABLE_COMPILE_CACHE: '1' };
  for (const name of workflows) expect((await readWorkflow(name)).env).toEqual(off);
  for (const name of pipelines) expect((await readPipeline(name)).variables).toEqual(off);
  const { runs } = await readAction();
  expect(runs.steps.find(({ id }) => id === 'run')?.env).toMatchObject(off);
  expect(await readFile(join(root, 'Dockerfile'), 'utf8')).toContain('\nENV NODE_DISABLE_COMPILE_CACHE=1\n');
});

test.each(files)(
  'every CI recipe installs the released version outside of the checkout, and runs nothing from the checkout: %s',
  async (file) => {
    const text = await readFile(file, 'utf8');
    expect(text).not.toMatch(/npm ci|npx|cache:|(?<![\w"/])(?:\.\/)?node_modules\/\.bin|pull_request_target/);
    const installs = [...text.matchAll(/npm install .*/g)].map(([line]) => line);
    for (const line of installs) expect(line).toMatch(new RegExp(` attune@${manifest.version}\\)?$`));
    expect(installs.length > 0 || text.includes(`uses: ${ownAction}\n`)).toBe(true);
  },
);

describe.each(workflows)('%s', (name) => {
  test(`${name} puts no expression into its shell, because values are passed as variables`, async () => {
    const { jobs } = await readWorkflow(name);
    for (const { run = '' } of Object.values(jobs).flatMap(({ steps }) => steps))
      expect(run).not.toContain('${{');
  });

  test(`${name} gives the token of the service to the steps that need it, and to no others`, async () => {
    const { jobs } = await readWorkflow(name);
    for (const { environment, env: common = {}, steps } of Object.values(jobs)) {
      expect(Object.keys(common)).not.toContain('ATTUNE_TOKEN');
      const secret = environment === 'production' ? 'ATTUNE_TOKEN' : 'ATTUNE_READ_TOKEN';
      for (const { uses, with: { command = '' } = {}, env = {} } of steps) {
        const asks = uses === ownAction && /^(plan(?! --snapshot)|apply|drift|snapshot)/.test(command);
        expect(env.ATTUNE_TOKEN).toBe(asks ? `\${{ secrets.${secret} }}` : undefined);
      }
    }
  });
});

test('only the jobs that apply have the environment whose token may write to the service, one at a time', async () => {
  const { jobs } = await readWorkflow('attune-apply.yml');
  expect(Object.values(jobs).map(({ environment }) => environment)).toEqual(['production']);
  const pipeline = await readPipeline();
  const writing = Object.entries(pipeline.jobs).filter(([, { environment }]) => environment !== undefined);
  expect(writing).toEqual([
    ['apply', expect.objectContaining({ environment: 'production', resource_group: 'production' })],
  ]);
});

test('every command of Attune in the recipes and their page exists', async () => {
  const page = join(root, 'docs', 'guides', 'ci.md');
  const texts = await Promise.all([...files, page].map((file) => readFile(file, 'utf8')));
  // On the page a command ends with its backtick.
  const command = /(?:(?:npx |node_modules\/\.bin\/|^ +- (?:\S+="\S+" )?)attune"?|\{command:) ([^\n|`},]*)/gm;
  const commands = texts.flatMap((text) => [...text.matchAll(command)].map(([, line = '']) => line.trim()));
  expect(commands.length).toBeGreaterThan(8);
  const cwd = await folderWith({});
  for (const one of new Set(commands)) {
    // As the first of four parallel jobs.
    const line = one.replace('$CI_NODE_TOTAL', '4').replaceAll('$CI_NODE_INDEX', '1').replaceAll('"', '');
    const { stderr, stdout } = await attune(line.split(/ +/), { cwd });
    expect(stderr + stdout).not.toMatch(
      /unknown (option|command)|is invalid|too many arguments|unknown file extension/,
    );
  }
});
