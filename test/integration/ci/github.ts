import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
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
}

export interface Job {
  readonly 'runs-on': string;
  readonly environment?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly name: string;
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency: Readonly<Record<string, unknown>>;
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<Record<string, Job>>;
}

export async function readWorkflow(name: string): Promise<Workflow> {
  return parse(await readFile(join(recipes, 'github', name), 'utf8'));
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
}

export interface JobEnd {
  readonly ok: boolean;
  /** The names of the steps that ran, or what they use. */
  readonly ran: readonly string[];
  /** Everything that was printed. */
  readonly log: string;
  readonly summary: string;
  readonly run: WorkflowRun;
}

export interface GitHubStage extends Stage {
  github(): Promise<GitHub>;
  update(change: (github: GitHub) => void): Promise<void>;
  /** Runs the one job of a workflow, and keeps the run and its artifacts. */
  start(workflow: string, trigger: Trigger): Promise<JobEnd>;
  artifact(run: WorkflowRun, name: string): string;
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
      const end = await runJob({
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

async function runJob({ stage, home, trigger, name, folderOf }: JobStart): Promise<Omit<JobEnd, 'run'>> {
  const workflow = await readWorkflow(name);
  const job = Object.values(workflow.jobs)[0];
  if (job === undefined) throw new Error(`${name} has no job`);
  // A checkout without what runs before have left.
  await stage.shell('git clean -qfdx', {});
  const isTrusted = (trigger.from ?? repository) === repository;
  const secrets = {
    ATTUNE_READ_TOKEN: isTrusted ? tokens.read : '',
    // Of the environment: only for the job that names it.
    ATTUNE_TOKEN: job.environment === 'production' ? tokens.write : '',
  };
  const outputs = new Map<string, Record<string, string>>();
  const present = await fileNames(stage);
  let ok = true;
  const context = {
    github: {
      ref: 'refs/heads/main',
      repository,
      token: 'github-token',
      event_name: trigger.event,
      event: { pull_request: { number: trigger.pull ?? '' } },
    },
    secrets,
    env: {} as Record<string, string>,
    steps: {} as Record<string, { outputs: Record<string, string> }>,
    hashFiles: (file: string) => (present.has(file) ? 'hash' : ''),
    always: () => true,
    cancelled: () => false,
    success: () => ok,
  };
  const interpolate = (text: string) =>
    String(text).replace(/\$\{\{(.*?)\}\}/g, (_, expression) => String(runInNewContext(expression, context)));
  const each = (values: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, interpolate(value)]));
  context.env = each(job.env);
  const files = { GITHUB_OUTPUT: join(home, 'output.txt'), GITHUB_STEP_SUMMARY: join(home, 'summary.md') };
  for (const path of Object.values(files)) await writeFile(path, '');
  const ran: string[] = [];
  let log = '';
  for (const step of job.steps) {
    const condition = step.if?.replace(/^\$\{\{(.*)\}\}$/, '$1') ?? 'true';
    const asksForStatus = /\b(always|cancelled|success|failure)\(\)/.test(condition);
    if (!(asksForStatus || ok) || !runInNewContext(condition, context)) continue;
    ran.push(step.name ?? step.uses ?? step.run ?? '');
    if (step.uses?.startsWith('actions/upload-artifact@')) await upload(step, stage, folderOf);
    if (step.run === undefined) continue;
    const env = {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: repository,
      GITHUB_SHA: trigger.sha,
      GITHUB_REF_NAME: trigger.branch ?? 'main',
      FAKE_GITHUB: home,
      FAKE_PERMISSIONS: JSON.stringify(workflow.permissions),
      ...files,
      ...context.env,
      ...each(step.env),
    };
    const { code, stdout, stderr } = await stage.shell(step.run, env);
    log += stdout + stderr;
    if (code !== 0) ok = false;
    if (step.id !== undefined) {
      const lines = (await readFile(files.GITHUB_OUTPUT, 'utf8')).trim().split('\n');
      outputs.set(step.id, Object.fromEntries(lines.map((line) => line.split('=', 2))));
      context.steps = Object.fromEntries([...outputs].map(([id, values]) => [id, { outputs: values }]));
    }
    for (const file of await fileNames(stage)) present.add(file);
  }
  return { ok, ran, log, summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8') };
}

async function fileNames(stage: Stage): Promise<Set<string>> {
  return new Set((await stage.shell('ls -1', {})).stdout.split('\n'));
}

async function upload(step: Step, stage: Stage, folderOf: JobStart['folderOf']): Promise<void> {
  const folder = folderOf(String(step.with?.name));
  await mkdir(folder, { recursive: true });
  for (const path of String(step.with?.path).trim().split('\n')) {
    await cp(join(stage.folder, path), join(folder, path));
  }
}
