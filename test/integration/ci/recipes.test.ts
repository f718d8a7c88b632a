import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith } from '../../support/attune.ts';
import { readPipeline, readWorkflow, recipes, root } from './stage.ts';

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const workflows = await readdir(join(recipes, 'github'));
const pipelines = (await readdir(join(recipes, 'gitlab'))).filter((name) => name.endsWith('.yml'));
const files = [
  ...workflows.map((name) => join(recipes, 'github', name)),
  ...pipelines.map((name) => join(recipes, 'gitlab', name)),
];

test('no CI job uses a cache of compiled code, because a job could find one that it did not write', async () => {
  const off = { NODE_DISABLE_COMPILE_CACHE: '1' };
  for (const name of workflows) expect((await readWorkflow(name)).env).toMatchObject(off);
  for (const name of pipelines) expect((await readPipeline(name)).variables).toEqual(off);
  expect(await readFile(join(root, 'Dockerfile'), 'utf8')).toContain('\nENV NODE_DISABLE_COMPILE_CACHE=1\n');
});

test.each(files)(
  'every CI recipe runs the released version from outside of the checkout: %s',
  async (file) => {
    const text = await readFile(file, 'utf8');
    expect(text).not.toMatch(/npm ci|npm install|cache:|node_modules\/\.bin|pull_request_target/);
    const outside = new RegExp(
      `^npx --yes (--ignore-scripts )?--prefix ("\\$RUNNER_TEMP"|/tmp) attune@${manifest.version} `,
    );
    const runs = [...text.matchAll(/npx .*/g)].map(([line]) => line);
    for (const line of runs) expect(line).toMatch(outside);
    expect(runs.length).toBeGreaterThan(0);
    expect(text).toContain('ATTUNE_ADDRESS');
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
      for (const { run = '', env = {} } of steps) {
        const asks = / attune@\S+ (plan(?! --snapshot)|apply|drift|snapshot)/.test(run);
        expect(env.ATTUNE_TOKEN).toBe(asks ? `\${{ secrets.${secret} }}` : undefined);
      }
    }
  });
});

test('each step of GitHub that sends messages gets the variables of the receivers of the guide', async () => {
  const guide = await readFile(join(root, 'docs', 'guides', 'messages.md'), 'utf8');
  const variables = [...guide.matchAll(/\w+-env: (\w+)/g)].map(([, variable = '']) => variable);
  expect(variables).toContain('SLACK_URL');
  const jobs = (await Promise.all(workflows.map((name) => readWorkflow(name)))).map((one) => one.jobs);
  const sending = jobs
    .flatMap((one) => Object.values(one).flatMap(({ steps }) => steps))
    .filter(({ run = '' }) => run.includes('--notify'));
  expect(sending).toHaveLength(1);
  for (const { env = {} } of sending)
    for (const variable of variables) expect(env[variable]).toBe(`\${{ secrets.${variable} }}`);
});

test('only the jobs that apply have the environment whose token may write to the service, one at a time, with a journal for each attempt', async () => {
  for (const name of ['attune-apply.yml', 'attune-due.yml']) {
    const { jobs, concurrency } = await readWorkflow(name);
    expect(Object.values(jobs).map(({ environment }) => environment)).toEqual(['production']);
    expect(concurrency).toEqual({ group: 'attune-apply', queue: 'max' });
    expect(JSON.stringify(jobs)).toContain(`"name":"attune-journal-\${{ github.run_attempt }}"`);
  }
  const pipeline = await readPipeline();
  const writing = Object.entries(pipeline.jobs).filter(([, { environment }]) => environment !== undefined);
  const alone = expect.objectContaining({ environment: 'production', resource_group: 'production' });
  expect(Object.fromEntries(writing)).toEqual({ apply: alone, due: alone });
});

test('every command of Attune in the recipes and their page exists', async () => {
  const page = join(root, 'docs', 'guides', 'ci.md');
  const texts = await Promise.all([...files, page].map((file) => readFile(file, 'utf8')));
  // On the page a command ends with its backtick.
  const command = /(?:npx |^ +- (?:\S+="\S+" )?|attune)(?:attune|@0\.1\.0) ([^\n|`]*)/gm;
  const commands = texts
    .flatMap((text) => [...text.matchAll(command)].map(([, line = '']) => line.trim()))
    .filter((line) => !line.startsWith('"$@"'));
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
