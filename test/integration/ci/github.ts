import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import { folderWith } from '../../support/attune.ts';
import { recipes, type Stage, stageWith, tokens } from './stage.ts';

export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string | number | boolean>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly shell?: string;
  readonly 'working-directory'?: string;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

export interface Job {
  readonly 'runs-on': string;
  readonly needs?: string;
  readonly if?: string;
  readonly environment?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly strategy?: {
    readonly 'fail-fast': boolean;
    readonly 'max-parallel': number;
    /** An expression. */
    readonly matrix: string;
  };
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly name: string;
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<Record<string, Job>>;
}

export async function readWorkflow(name: string): Promise<Workflow> {
  return parse(await readFile(join(recipes, 'github', name), 'utf8'));
}

const actionFolder = join(recipes, '..', '..');

export async function readAction(): Promise<Action> {
  return parse(await readFile(join(actionFolder, 'action.yml'), 'utf8'));
}

/** What GitHub keeps, as the stub of `gh` reads and writes it. Runs are listed with the newest first. */
export interface GitHub {
  comments: { id: number; on: number; user: { login: string }; body: string }[];
  issues: { number: number; state: string; labels: string[]; title: string; body: string }[];
  labels: string[];
  pulls: {
    merged_at: string | null;
    merge_commit_sha: string;
    head: { sha: string };
    base: { ref: string };
  }[];
  runs: WorkflowRun[];
  /** The permissions that requests have needed so far. */
  used: string[];
}

export interface WorkflowRun {
  readonly id: number;
  readonly workflow: string;
  readonly head_sha: string;
  readonly head_branch: string;
  readonly event: string;
  readonly status: string;
  readonly head_repository: { readonly full_name: string };
}

/** What starts a workflow. */
export interface Trigger {
  readonly event: 'pull_request' | 'workflow_dispatch' | 'push' | 'schedule';
  /** The commit that its run is listed under. */
  readonly sha: string;
  readonly branch?: string;
  readonly pull?: number;
  /** Whose pull request: a fork's gets no secrets. @default acme/infrastructure */
  readonly from?: string;
  /** The secrets of environments other than `production`, by the names of both. */
  readonly environments?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface JobEnd {
  readonly ok: boolean;
  /** The names of the steps that ran, or what they use. */
  readonly ran: readonly string[];
  /** Everything that was printed. */
  readonly log: string;
  readonly summary: string;
  readonly run: WorkflowRun;
  /** How each job ended. */
  readonly results: Readonly<Record<string, JobResult>>;
}

type JobResult = 'success' | 'failure' | 'skipped';

export interface GitHubStage extends Stage {
  github(): Promise<GitHub>;
  update(change: (github: GitHub) => void): Promise<void>;
  /** Runs the jobs of a workflow one after the other, and keeps the run and its artifacts. */
  start(workflow: string, trigger: Trigger): Promise<JobEnd>;
  artifact(run: WorkflowRun, name: string): string;
  /** Runs the steps of `action.yml` as the only step of a job. */
  act(inputs: Readonly<Record<string, string>>): Promise<ActionEnd>;
}

export interface ActionEnd extends Omit<JobEnd, 'run' | 'results'> {
  readonly outputs: Readonly<Record<string, string>>;
}

const repository = 'acme/infrastructure';

export async function gitHubStage(): Promise<GitHubStage> {
  const home = await folderWith({});
  const gh = join(import.meta.dirname, 'gh.mjs');
  const stage = await stageWith({ gh: `exec '${process.execPath}' '${gh}' "$@"` });
  const file = join(home, 'github.json');
  const empty: GitHub = { comments: [], issues: [], labels: [], pulls: [], runs: [], used: [] };
  await writeFile(file, JSON.stringify(empty));
  const github = async (): Promise<GitHub> => JSON.parse(await readFile(file, 'utf8'));
  const update: GitHubStage['update'] = async (change) => {
    const now = await github();
    change(now);
    await writeFile(file, JSON.stringify(now));
  };
  const artifact = (run: WorkflowRun, name: string) => join(home, 'artifacts', String(run.id), name);
  return {
    ...stage,
    github,
    update,
    artifact,
    act: async (inputs) => {
      const trigger = { event: 'pull_request', sha: 'reviewed', pull: 7 } as const;
      const start = { stage, home, trigger, folderOf: (name: string) => join(home, name) };
      const { steps, end } = await preparedRunner(start, { 'pull-requests': 'write' });
      const env = { ...steps.env, ATTUNE_TOKEN: tokens.read };
      const outputs = await runAction({ ...steps, env }, inputs);
      return { outputs, ...(await end()) };
    },
    start: async (name, trigger) => {
      const head_repository = { full_name: trigger.from ?? repository };
      const listed = {
        workflow: name,
        head_sha: trigger.sha,
        head_branch: trigger.branch ?? 'main',
        event: trigger.event,
        head_repository,
      };
      const id = 1 + (await github()).runs.length;
      const end = await runJobs({
        stage,
        home,
        trigger,
        name,
        folderOf: (one) => artifact({ id, ...listed, status: '' }, one),
      });
      const run = { id, ...listed, status: end.ok ? 'success' : 'failure' };
      await update(({ runs }) => runs.unshift(run));
      return { ...end, run };
    },
  };
}

interface JobStart {
  readonly stage: Stage;
  readonly home: string;
  readonly trigger: Trigger;
  readonly name: string;
  readonly folderOf: (artifact: string) => string;
}

async function runJobs(start: JobStart): Promise<Omit<JobEnd, 'run'>> {
  const workflow = await readWorkflow(start.name);
  const needs: Record<string, Needed> = {};
  const ends: RunnerEnd[] = [];
  for (const [id, job] of Object.entries(workflow.jobs)) {
    const isReady = job.needs === undefined || needs[job.needs]?.result === 'success';
    if (!isStarted(job.if, isReady, { needs, cancelled: () => false })) {
      needs[id] = { result: 'skipped', outputs: {} };
      continue;
    }
    const done = await runMatrix(start, job, { permissions: workflow.permissions, needs });
    ends.push(...done);
    needs[id] = {
      result: done.every(({ ok }) => ok) ? 'success' : 'failure',
      outputs: Object.assign({}, ...done.map(({ outputs }) => outputs)),
    };
  }
  if (ends.length === 0) throw new Error(`${start.name} has no job`);
  return {
    ok: ends.every(({ ok }) => ok),
    ran: ends.flatMap(({ ran }) => ran),
    log: ends.map(({ log }) => log).join(''),
    summary: ends.map(({ summary }) => summary).join(''),
    results: Object.fromEntries(Object.entries(needs).map(([id, { result }]) => [id, result])),
  };
}

interface Needed {
  readonly result: JobResult;
  readonly outputs: Readonly<Record<string, string>>;
}

type RunnerEnd = Omit<JobEnd, 'run' | 'results'>;

interface JobContext {
  readonly permissions: Workflow['permissions'];
  readonly needs: Readonly<Record<string, Needed>>;
}

/** Runs a job, once for each entry of its matrix. */
async function runMatrix(
  start: JobStart,
  job: Job,
  { permissions, needs }: JobContext,
): Promise<readonly (RunnerEnd & Pick<Needed, 'outputs'>)[]> {
  const { trigger } = start;
  const isTrusted = (trigger.from ?? repository) === repository;
  // Of an environment: only for the job that names it.
  const environments: Trigger['environments'] = {
    production: { ATTUNE_TOKEN: tokens.write },
    ...trigger.environments,
  };
  const ends: (RunnerEnd & Pick<Needed, 'outputs'>)[] = [];
  for (const matrix of matrixOf(job, needs)) {
    const { environment = '' } = evaluated({ environment: job.environment ?? '' }, { matrix });
    const secrets = {
      ATTUNE_READ_TOKEN: isTrusted ? tokens.read : '',
      ATTUNE_TOKEN: '',
      ...environments[environment],
    };
    const { steps, end } = await preparedRunner(start, permissions);
    const env = evaluated(job.env, { secrets });
    const outputs = await runSteps(job.steps, steps, { secrets, env, inputs: {}, matrix, needs });
    ends.push({ ...(await end()), outputs: evaluated(job.outputs, { steps: outputs }) });
  }
  return ends;
}

function matrixOf(
  { strategy }: Job,
  needs: JobContext['needs'],
): readonly Readonly<Record<string, string>>[] {
  if (strategy === undefined) return [{}];
  const { include } = runInNewContext(bare(strategy.matrix), { needs, fromJSON: JSON.parse });
  if (include.length === 0) throw new Error('GitHub refuses an empty matrix');
  return include;
}

/** A condition that does not ask for a status is only evaluated after success. */
function isStarted(condition = 'true', isReady: boolean, context: object): boolean {
  const expression = bare(condition);
  const asksForStatus = /\b(always|cancelled|success|failure)\(\)/.test(expression);
  return (asksForStatus || isReady) && Boolean(runInNewContext(dashed(expression), context));
}

/** An expression without its braces. */
function bare(expression: string): string {
  return expression.replace(/^\$\{\{(.*)\}\}$/, '$1');
}

/** A runner with a clean checkout, and what its steps have done in the end. */
async function preparedRunner(
  { stage, home, trigger, folderOf }: Omit<JobStart, 'name'>,
  permissions: Workflow['permissions'],
): Promise<{ readonly steps: StepsStart; end(): Promise<RunnerEnd> }> {
  // A checkout without what runs before have left.
  await stage.shell('git clean -qfdx', {});
  const files = { GITHUB_OUTPUT: join(home, 'output.txt'), GITHUB_STEP_SUMMARY: join(home, 'summary.md') };
  for (const path of Object.values(files)) await writeFile(path, '');
  // Each job has its own.
  await rm(join(home, 'temp'), { recursive: true, force: true });
  await mkdir(join(home, 'temp'), { recursive: true });
  const env = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: repository,
    GITHUB_SHA: trigger.sha,
    GITHUB_REF_NAME: trigger.branch ?? 'main',
    RUNNER_TEMP: join(home, 'temp'),
    FAKE_GITHUB: home,
    FAKE_PERMISSIONS: JSON.stringify(permissions),
    ...files,
  };
  const progress: Progress = { ok: true, ran: [], log: '', present: await fileNames(stage) };
  return {
    steps: { stage, trigger, folderOf, env, progress },
    end: async () => {
      const { ok, ran, log } = progress;
      return { ok, ran, log, summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8') };
    },
  };
}

/** What the steps of a job and of its actions share. */
interface Progress {
  ok: boolean;
  readonly ran: string[];
  log: string;
  readonly present: Set<string>;
}

interface StepsStart extends Pick<JobStart, 'stage' | 'trigger' | 'folderOf'> {
  readonly env: Readonly<Record<'GITHUB_OUTPUT', string> & Record<string, string>>;
  readonly progress: Progress;
}

/** The contexts that a job and an action do not share. */
interface Scope {
  readonly secrets: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, string>>;
  readonly matrix?: Readonly<Record<string, string>>;
  readonly needs?: JobContext['needs'];
}

/** @returns the outputs of the steps with an id */
async function runSteps(
  steps: readonly Step[],
  start: StepsStart,
  scope: Scope,
): Promise<Readonly<Record<string, { outputs: Record<string, string> }>>> {
  const { stage, trigger, progress, folderOf } = start;
  const outputs: Record<string, { outputs: Record<string, string> }> = {};
  const context = {
    ...scope,
    github: {
      ref: 'refs/heads/main',
      repository,
      token: 'github-token',
      action_path: actionFolder,
      event_name: trigger.event,
      event: { pull_request: { number: trigger.pull ?? '' } },
    },
    // A step that did not run has no outputs, and may be named.
    steps: new Proxy(outputs, { get: (all, id) => all[String(id)] ?? { outputs: {} } }),
    hashFiles: (file: string) => (progress.present.has(file) ? 'hash' : ''),
    always: () => true,
    cancelled: () => false,
    success: () => progress.ok,
  };
  for (const step of steps) {
    if (!isStarted(step.if, progress.ok, context)) continue;
    progress.ran.push(step.name ?? step.uses ?? step.run ?? '');
    const inputs = evaluated(step.with, context);
    if (step.uses?.startsWith('actions/upload-artifact@')) await upload(inputs, stage, folderOf);
    if (step.uses?.startsWith('actions/download-artifact@')) await download(inputs, stage, folderOf);
    const env = { ...start.env, ...scope.env, ...evaluated(step.env, context) };
    if (step.uses?.startsWith('OWNER/attune@')) {
      const done = await runAction({ ...start, env }, inputs);
      if (step.id !== undefined) outputs[step.id] = { outputs: done };
    }
    if (step.run === undefined) continue;
    await writeFile(env.GITHUB_OUTPUT, '');
    const folder = evaluated({ folder: step['working-directory'] ?? '.' }, context).folder ?? '.';
    const { code, stdout, stderr } = await stage.shell(`cd '${folder}'\n${step.run}`, env);
    progress.log += stdout + stderr;
    if (code !== 0) progress.ok = false;
    const lines = (await readFile(env.GITHUB_OUTPUT, 'utf8')).split('\n').filter((line) => line !== '');
    const values = lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
    if (step.id !== undefined) outputs[step.id] = { outputs: Object.fromEntries(values) };
    for (const file of await fileNames(stage)) progress.present.add(file);
  }
  return outputs;
}

/** Runs the steps of `action.yml`. An action knows its inputs and no secrets; the environment of its step reaches all its steps. */
async function runAction(
  start: StepsStart,
  given: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { inputs: declared, outputs, runs } = await readAction();
  const unknown = Object.keys(given).filter((name) => !(name in declared));
  if (unknown.length > 0) throw new Error(`the action has no input ${unknown.join(', ')}`);
  const inputs = Object.fromEntries(
    Object.entries(declared).map(([name, { default: usual = '' }]) => [name, given[name] ?? usual]),
  );
  const steps = await runSteps(runs.steps, start, { secrets: {}, env: {}, inputs });
  const context = { steps: new Proxy(steps, { get: (all, id) => all[String(id)] ?? { outputs: {} } }) };
  const values = Object.entries(outputs).map(([name, { value }]) => [name, value] as const);
  return evaluated(Object.fromEntries(values), context);
}

/** Values with their expressions evaluated; what a context does not have is empty. */
function evaluated(
  values: Readonly<Record<string, string | number | boolean>> | undefined,
  context: object,
): Record<string, string> {
  const evaluate = (text: string) =>
    text.replace(/\$\{\{(.*?)\}\}/g, (_, expression) =>
      String(runInNewContext(dashed(expression), context) ?? ''),
    );
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([key, value]) => [key, evaluate(String(value))]),
  );
}

/** `inputs.working-directory` as JavaScript reads it. */
function dashed(expression: string): string {
  return expression.replace(/\.([a-z]+(?:-[a-z]+)+)/g, "['$1']");
}

async function fileNames(stage: Stage): Promise<Set<string>> {
  return new Set((await stage.shell('ls -1', {})).stdout.split('\n'));
}

type Inputs = Readonly<Record<string, string>>;

async function upload(
  { name = '', path = '' }: Inputs,
  stage: Stage,
  folderOf: JobStart['folderOf'],
): Promise<void> {
  const folder = folderOf(name);
  await mkdir(folder, { recursive: true });
  for (const one of path.trim().split('\n')) await cp(join(stage.folder, one), join(folder, one));
}

/** Copies the files of all artifacts of the run that a pattern `PREFIX*` matches into one folder. */
async function download(
  { pattern = '', path = '', 'merge-multiple': merged }: Inputs,
  stage: Stage,
  folderOf: JobStart['folderOf'],
): Promise<void> {
  if (!pattern.endsWith('*') || merged !== 'true') throw new Error(`not understood: ${pattern}, ${merged}`);
  const names = (await readdir(folderOf(''))).filter((name) => name.startsWith(pattern.slice(0, -1)));
  for (const name of names) await cp(folderOf(name), join(stage.folder, path), { recursive: true });
}
