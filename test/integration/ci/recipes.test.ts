import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith } from '../../support/attune.ts';
import { readAction, readWorkflow } from './github.ts';
import { readPipeline } from './gitlab.ts';
import { recipes } from './stage.ts';

const workflows = {
  'attune-plan.yml': {
    on: ['pull_request', 'workflow_dispatch'],
    permissions: { contents: 'read', actions: 'read', 'pull-requests': 'write' },
    concurrency: { group: expect.stringContaining('github.ref'), 'cancel-in-progress': true },
  },
  'attune-apply.yml': {
    on: ['push'],
    permissions: { contents: 'read', actions: 'read', 'pull-requests': 'read' },
    concurrency: { group: 'attune-apply', queue: 'max' },
  },
  'attune-drift.yml': {
    on: ['schedule', 'workflow_dispatch'],
    permissions: { contents: 'read', issues: 'write' },
    concurrency: { group: 'attune-drift' },
  },
  'attune-drift-matrix.yml': {
    on: ['schedule', 'workflow_dispatch'],
    permissions: { contents: 'read' },
    concurrency: { group: 'attune-drift-matrix' },
  },
} as const;
const manifest = JSON.parse(readFileSync(join(recipes, '..', '..', 'package.json'), 'utf8'));
const ownAction = `${new URL(manifest.homepage).pathname.slice(1)}@v${manifest.version}`;
const names = Object.keys(workflows) as (keyof typeof workflows)[];

test('every CI recipe has a test here', async () => {
  expect((await readdir(join(recipes, 'github'))).sort()).toEqual([...names].sort());
  expect((await readdir(join(recipes, 'gitlab'))).sort()).toEqual([
    '.gitlab-ci.yml',
    'drift-matrix-child.gitlab-ci.yml',
    'drift-matrix.gitlab-ci.yml',
    'drift-shards.gitlab-ci.yml',
    'gitlab.mjs',
  ]);
});

test('no CI job uses a cache of compiled code, because a job could find one that it did not write', async () => {
  const off = { NODE_DISABLE_COMPILE_CACHE: '1' };
  for (const name of names) expect((await readWorkflow(name)).env).toEqual(off);
  for (const file of await readdir(join(recipes, 'gitlab')))
    if (file.endsWith('.yml')) expect((await readPipeline(file)).variables).toEqual(off);
  const { runs } = await readAction();
  expect(runs.steps.find(({ id }) => id === 'run')?.env).toMatchObject(off);
  expect(await readFile(join(recipes, '..', '..', 'Dockerfile'), 'utf8')).toContain(
    '\nENV NODE_DISABLE_COMPILE_CACHE=1\n',
  );
});

test('every CI recipe installs the released version outside of the checkout, and runs nothing from the checkout', async () => {
  const folders = ['github', 'gitlab'].map((system) => join(recipes, system));
  const all = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder)).filter((file) => file.endsWith('.yml')).map((file) => join(folder, file)),
    ),
  );
  for (const file of all.flat()) {
    const text = await readFile(file, 'utf8');
    expect([file, text.match(/npm ci|npx|cache:|(?<![\w"/])(?:\.\/)?node_modules\/\.bin/)]).toEqual([
      file,
      null,
    ]);
    const installs = [...text.matchAll(/npm install .*/g)].map(([line]) => line);
    for (const line of installs)
      expect([file, line]).toEqual([
        file,
        expect.stringMatching(new RegExp(` attune@${manifest.version}\\)?$`)),
      ]);
    expect([file, installs.length > 0 || text.includes(ownAction)]).toEqual([file, true]);
  }
});

describe.each(names)('%s', (name) => {
  test(`${name} declares its triggers, permissions and dependencies`, async () => {
    const { on, permissions, concurrency } = await readWorkflow(name);
    expect({ on: Object.keys(on), permissions, concurrency }).toEqual(workflows[name]);
  });

  test(`${name} has steps that use a known action at a pinned commit, or run lines in a shell that stops at the first failure`, async () => {
    const { jobs, defaults, ...rest } = await readWorkflow(name);
    expect(Object.keys(rest).sort()).toEqual(['concurrency', 'env', 'name', 'on', 'permissions']);
    expect(defaults).toEqual({ run: { shell: 'bash' } });
    for (const job of Object.values(jobs)) {
      expect(job['runs-on']).toBe('ubuntu-latest');
      for (const { uses, run, ...step } of job.steps) {
        if (uses !== undefined && uses !== ownAction)
          expect(uses).toMatch(/^actions\/(checkout|setup-node|(down|up)load-artifact)@[0-9a-f]{40}$/);
        expect([uses, run].filter((part) => part !== undefined)).toHaveLength(1);
        for (const key of Object.keys(step)) expect(['name', 'id', 'if', 'env', 'with']).toContain(key);
      }
    }
  });

  test(`${name} pins every action by its commit, with the version in a comment, and Attune by the version of the package`, async () => {
    const text = await readFile(join(recipes, 'github', name), 'utf8');
    const pins = text.match(/uses: .*/g) ?? [];
    expect(pins.length).toBeGreaterThan(1);
    expect(pins).toContain(`uses: ${ownAction}`);
    for (const pin of pins.filter((one) => one !== `uses: ${ownAction}`))
      expect(pin).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text).not.toContain('npx');
  });

  test(`${name} puts no value from events into its shell, because values are passed as variables`, async () => {
    const { jobs } = await readWorkflow(name);
    const scripts = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run));
    for (const script of scripts) expect(script).not.toContain('${{');
    const text = await readFile(join(recipes, 'github', name), 'utf8');
    const expressions = [...text.matchAll(/\$\{\{ (.*?) \}\}/g)].map(([, expression]) => expression ?? '');
    // Titles, texts and names of branches are the author's.
    for (const expression of expressions)
      expect(expression).not.toMatch(/head_ref|title|body|label|\.ref_name/);
    expect(text).not.toContain('pull_request_target');
  });

  test(`${name} gives the token of the service to the steps that need it, and to no others`, async () => {
    const { jobs } = await readWorkflow(name);
    for (const job of Object.values(jobs)) {
      expect(Object.keys(job.env ?? {})).not.toContain('ATTUNE_TOKEN');
      const secret = job.environment === 'production' ? 'ATTUNE_TOKEN' : 'ATTUNE_READ_TOKEN';
      for (const { uses, with: inputs, env = {} } of job.steps) {
        const asks =
          uses === ownAction && /^(plan(?! --snapshot)|apply|drift|snapshot)/.test(String(inputs?.command));
        expect(env.ATTUNE_TOKEN).toBe(asks ? `\${{ secrets.${secret} }}` : undefined);
      }
    }
  });
});

test('only the job of the environment production may write to the service', async () => {
  const { jobs } = await readWorkflow('attune-apply.yml');
  expect(Object.values(jobs).map(({ environment }) => environment)).toEqual(['production']);
});

describe('.gitlab-ci.yml', () => {
  test('the GitLab recipe has jobs in known stages, each with its own rule', async () => {
    const { stages, jobs, default: common } = await readPipeline();
    expect(common.image).toBe('node:24');
    const known = [
      ...['stage', 'rules', 'variables', 'script', 'artifacts'],
      ...['environment', 'resource_group'],
    ];
    for (const job of Object.values(jobs)) {
      expect(stages).toContain(job.stage);
      expect(job.rules.length).toBeGreaterThan(0);
      for (const key of Object.keys(job)) expect(known).toContain(key);
      for (const line of job.script) expect(typeof line).toBe('string');
    }
    expect(Object.keys(jobs)).toEqual(['validate', 'plan', 'plan-fork', 'apply', 'drift']);
  });

  test.each([
    [
      'a merge request',
      { CI_PIPELINE_SOURCE: 'merge_request_event', CI_PROJECT_ID: '1', CI_MERGE_REQUEST_PROJECT_ID: '1' },
      ['validate', 'plan'],
    ],
    [
      'a merge request from a fork',
      { CI_PIPELINE_SOURCE: 'merge_request_event', CI_PROJECT_ID: '2', CI_MERGE_REQUEST_PROJECT_ID: '1' },
      ['validate', 'plan-fork'],
    ],
    ['a push to the default branch', { CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: 'main' }, ['apply']],
    ['a push to another branch', { CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: 'other' }, []],
    [
      'a run by hand on the default branch',
      { CI_PIPELINE_SOURCE: 'web', CI_COMMIT_BRANCH: 'main' },
      ['plan'],
    ],
    ['a run by hand on another branch', { CI_PIPELINE_SOURCE: 'web', CI_COMMIT_BRANCH: 'other' }, []],
    ['a night', { CI_PIPELINE_SOURCE: 'schedule', CI_COMMIT_BRANCH: 'main' }, ['drift']],
  ])('.gitlab-ci.yml starts the jobs for %s', async (_, variables, expected) => {
    const { jobs } = await readPipeline();
    const given: Readonly<Record<string, string>> = { CI_DEFAULT_BRANCH: 'main', ...variables };
    const started = Object.entries(jobs).filter(([, { rules }]) =>
      rules.some((rule) => holds(rule.if, given)),
    );
    expect(started.map(([name]) => name)).toEqual(expected);
  });

  test('.gitlab-ci.yml applies one plan at a time, in the one environment whose token may write', async () => {
    const { jobs } = await readPipeline();
    expect(jobs.apply).toMatchObject({ environment: 'production', resource_group: 'production' });
    const others = Object.entries(jobs).filter(([name]) => name !== 'apply');
    for (const [, { environment }] of others) expect(environment).toBeUndefined();
  });
});

describe('drift-shards.gitlab-ci.yml', () => {
  test('both jobs of drift-shards.gitlab-ci.yml start every night, and the report also starts after a failure', async () => {
    const { stages, jobs } = await readPipeline('drift-shards.gitlab-ci.yml');
    const night = '$CI_PIPELINE_SOURCE == "schedule"';
    expect(stages).toEqual(['drift']);
    expect(jobs).toMatchObject({
      'drift-shards': { stage: 'drift', rules: [{ if: night }], artifacts: { when: 'always' } },
      'drift-report': {
        stage: 'drift',
        needs: ['drift-shards'],
        rules: [{ if: night, when: 'always' }],
        artifacts: { when: 'always' },
      },
    });
    expect(Object.keys(jobs)).toEqual(['drift-shards', 'drift-report']);
  });
});

describe('drift-matrix.gitlab-ci.yml', () => {
  test('drift-matrix.gitlab-ci.yml starts the generated child pipeline every night, and fails with it', async () => {
    const { stages, jobs } = await readPipeline('drift-matrix.gitlab-ci.yml');
    const rules = [{ if: '$CI_PIPELINE_SOURCE == "schedule"' }];
    const include = [{ artifact: 'drift-matrix.yml', job: 'drift-roots' }];
    expect(stages).toEqual(['roots', 'drift']);
    expect(jobs).toMatchObject({
      'drift-roots': { stage: 'roots', rules, artifacts: { paths: ['drift-matrix.yml'] } },
      'drift-matrix': {
        stage: 'drift',
        needs: ['drift-roots'],
        rules,
        trigger: { include, strategy: 'depend' },
      },
    });
    expect(Object.keys(jobs)).toEqual(['drift-roots', 'drift-matrix']);
  });

  test('the child pipeline of drift-matrix.gitlab-ci.yml keeps all results, and its report also starts after a failure', async () => {
    const { stages, jobs } = await readPipeline('drift-matrix-child.gitlab-ci.yml');
    expect(stages).toEqual(['drift', 'report']);
    expect(jobs).toMatchObject({
      drift: { extends: '.organizations', stage: 'drift', artifacts: { when: 'always' } },
      'drift-report': { stage: 'report', rules: [{ when: 'always' }], artifacts: { when: 'always' } },
    });
    expect(Object.keys(jobs)).toEqual(['drift', 'drift-report']);
  });
});

/** Rules compare variables with each other or with texts, and join such comparisons by `&&`. */
function holds(rule: string, variables: Readonly<Record<string, string>>): boolean {
  return rule.split(' && ').every((comparison) => {
    const [, left = '', operator, right = ''] = /^(\S+) (==|!=) (\S+)$/.exec(comparison) ?? [];
    if (operator === undefined) throw new Error(`not understood: ${comparison}`);
    const value = (word: string) => (word.startsWith('$') ? variables[word.slice(1)] : word.slice(1, -1));
    return (value(left) === value(right)) === (operator === '==');
  });
}

test('every command of Attune in the recipes and their page exists', async () => {
  const files = [
    ...names.map((name) => join(recipes, 'github', name)),
    join(recipes, 'gitlab', '.gitlab-ci.yml'),
    ...['drift-shards', 'drift-matrix', 'drift-matrix-child'].map((name) =>
      join(recipes, 'gitlab', `${name}.gitlab-ci.yml`),
    ),
    join(recipes, '..', '..', 'docs', 'guides', 'ci.md'),
  ];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  // On the page a command ends with its backtick.
  const commands = texts.flatMap((text) =>
    [
      ...text.matchAll(
        /(?:(?:npx |node_modules\/\.bin\/|^ +- (?:\S+="\S+" )?)attune"?|\{command:) ([^\n|`},]*)/gm,
      ),
    ].map(([, command = '']) => command.trim()),
  );
  expect(commands.length).toBeGreaterThan(8);
  const cwd = await folderWith({});
  for (const command of new Set(commands)) {
    // As the first of four parallel jobs.
    const line = command.replace('$CI_NODE_TOTAL', '4').replaceAll('$CI_NODE_INDEX', '1').replaceAll('"', '');
    const { stderr, stdout } = await attune(line.split(/ +/), { cwd });
    expect(stderr + stdout).not.toMatch(
      /unknown (option|command)|is invalid|too many arguments|unknown file extension/,
    );
  }
});
