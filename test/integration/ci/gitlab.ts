import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { folderWith } from '../../support/attune.ts';
import { serverWith } from '../../support/servers.ts';
import { recipes, type Stage, stageWith, tokens } from './stage.ts';

export const gitlabToken = 'project-access-secret';

export interface GitLabJob {
  readonly stage: string;
  readonly rules: readonly { readonly if: string; readonly when?: string }[];
  readonly script: readonly string[];
  readonly parallel?: number;
  readonly needs?: readonly string[];
  readonly environment?: string;
  readonly resource_group?: string;
  readonly artifacts?: {
    readonly when?: string;
    readonly paths?: readonly string[];
    readonly reports?: Readonly<Record<string, string>>;
  };
}

export interface GitLabPipeline {
  readonly stages: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly default: { readonly image: string; readonly before_script: readonly string[] };
  readonly jobs: Readonly<Record<string, GitLabJob>>;
}

export async function readPipeline(file = '.gitlab-ci.yml'): Promise<GitLabPipeline> {
  const text = await readFile(join(recipes, 'gitlab', file), 'utf8');
  const { stages, variables, default: common, ...jobs } = parse(text);
  return { stages, variables, default: common, jobs };
}

/** What GitLab keeps of one project. Pipelines are listed with the newest first. */
export interface GitLab {
  notes: { id: number; body: string; author: { id: number } }[];
  issues: { iid: number; state: string; labels: string; title: string; description: string }[];
  merged: {
    iid: number;
    state: string;
    sha: string;
    merge_commit_sha: string | null;
    squash_commit_sha: string | null;
  }[];
  pipelines: Pipeline[];
}

export interface Pipeline {
  readonly id: number;
  readonly project_id: number;
  readonly sha: string;
  readonly source: string;
  readonly jobs: readonly { readonly id: number; readonly name: string; readonly status: string }[];
}

export interface GitLabEnd {
  readonly code: number;
  readonly log: string;
  readonly pipeline: Pipeline;
}

export interface GitLabStage extends Stage {
  readonly gitlab: GitLab;
  /** What was asked of GitLab without a token that it knows. */
  readonly anonymous: readonly string[];
  /** Runs one job as a separate pipeline, and keeps its artifacts. */
  start(job: string, env: Readonly<Record<string, string>>): Promise<GitLabEnd>;
  artifact(pipeline: Pipeline, file: string): string;
}

/** The project has the id 1; the user of the project access token has the id 50. */
export async function gitLabStage(): Promise<GitLabStage> {
  const stage = await stageWith();
  const artifacts = await folderWith({});
  const gitlab: GitLab = { notes: [], issues: [], merged: [], pipelines: [] };
  const anonymous: string[] = [];
  const address = await serverWith((request, response) =>
    answer(request, response, { gitlab, artifacts, anonymous }),
  );
  const api = `${address}/api/v4`;
  let jobs = 0;
  const artifact: GitLabStage['artifact'] = (pipeline, file) =>
    join(artifacts, String(pipeline.jobs[0]?.id), file);
  return {
    ...stage,
    gitlab,
    anonymous,
    artifact,
    start: async (name, env) => {
      const { default: common, jobs: all } = await readPipeline();
      const job = all[name];
      if (job === undefined) throw new Error(`there is no job ${name}`);
      // A checkout without what ran before has left, and with what was copied into it.
      await stage.shell('git clean -qfdx', {});
      await mkdir(join(stage.folder, 'ci'));
      await cp(join(recipes, 'gitlab', 'gitlab.mjs'), join(stage.folder, 'ci', 'gitlab.mjs'));
      const given = { CI: 'true', CI_API_V4_URL: api, CI_PROJECT_ID: '1', CI_DEFAULT_BRANCH: 'main', ...env };
      const script = [...common.before_script, ...job.script].join('\n');
      const { code, stdout, stderr } = await stage.shell(script, given);
      jobs += 1;
      const pipeline: Pipeline = {
        id: 1000 + jobs,
        project_id: Number(given.CI_PROJECT_ID),
        sha: env.CI_COMMIT_SHA ?? '',
        source: env.CI_PIPELINE_SOURCE ?? '',
        jobs: [{ id: jobs, name, status: code === 0 ? 'success' : 'failed' }],
      };
      gitlab.pipelines.unshift(pipeline);
      if (code === 0) {
        for (const file of job.artifacts?.paths ?? []) {
          await mkdir(dirname(artifact(pipeline, file)), { recursive: true });
          await cp(join(stage.folder, file), artifact(pipeline, file));
        }
      }
      return { code, log: stdout + stderr, pipeline };
    },
  };
}

interface Kept {
  readonly gitlab: GitLab;
  readonly artifacts: string;
  readonly anonymous: string[];
}

async function answer(request: IncomingMessage, response: ServerResponse, kept: Kept): Promise<void> {
  const url = new URL(request.url ?? '', 'http://gitlab');
  const route = `${request.method} ${url.pathname.replace('/api/v4', '')}`;
  const isKnown = request.headers.authorization === `Bearer ${gitlabToken}`;
  if (!isKnown) kept.anonymous.push(route);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
  const routes = isKnown ? [...open, ...closed] : open;
  for (const [pattern, respond] of routes) {
    const match = pattern.exec(route);
    if (match === null) continue;
    const found = await respond(kept, { match, query: url.searchParams, body });
    const text = typeof found === 'string' ? found : JSON.stringify(found);
    response.writeHead(found === undefined ? 404 : 200).end(text);
    return;
  }
  response.writeHead(isKnown ? 404 : 401).end('{}');
}

interface Asked {
  readonly match: RegExpExecArray;
  readonly query: URLSearchParams;
  readonly body: Record<string, string>;
}

type Route = readonly [RegExp, (kept: Kept, asked: Asked) => unknown];

/** What anybody may read of a public project. */
const open: readonly Route[] = [
  [
    /^GET \/projects\/1\/pipelines$/,
    ({ gitlab }, { query }) =>
      gitlab.pipelines.filter(
        ({ source, sha, project_id: project }) =>
          project === 1 && source === query.get('source') && (query.get('sha') ?? sha) === sha,
      ),
  ],
  [
    /^GET \/projects\/1\/pipelines\/(\d+)\/jobs$/,
    ({ gitlab }, { match, query }) =>
      gitlab.pipelines
        .find(({ id }) => id === Number(match[1]))
        ?.jobs.filter(({ status }) => status === query.get('scope[]')),
  ],
  [
    /^GET \/projects\/1\/jobs\/(\d+)\/artifacts\/([\w.]+)$/,
    ({ artifacts }, { match: [, job = '', file = ''] }) =>
      readFile(join(artifacts, job, file), 'utf8').catch(() => undefined),
  ],
];

const closed: readonly Route[] = [
  [/^GET \/user$/, () => ({ id: 50 })],
  [
    /^GET \/projects\/1\/merge_requests\/7\/notes$/,
    ({ gitlab }, { query }) => {
      const from = (Number(query.get('page')) - 1) * 100;
      return gitlab.notes.slice(from, from + 100);
    },
  ],
  [
    /^POST \/projects\/1\/merge_requests\/7\/notes$/,
    ({ gitlab }, { body }) => {
      const note = { id: 900 + gitlab.notes.length, body: body.body ?? '', author: { id: 50 } };
      gitlab.notes.push(note);
      return note;
    },
  ],
  [
    /^PUT \/projects\/1\/merge_requests\/7\/notes\/(\d+)$/,
    ({ gitlab }, { match, body }) => {
      const note = gitlab.notes.find(({ id }) => id === Number(match[1]));
      return note && Object.assign(note, body);
    },
  ],
  [/^GET \/projects\/1\/repository\/commits\/\w+\/merge_requests$/, ({ gitlab }) => gitlab.merged],
  [
    /^GET \/projects\/1\/merge_requests\/7\/pipelines$/,
    ({ gitlab }) => gitlab.pipelines.filter(({ source }) => source === 'merge_request_event'),
  ],
  [
    /^GET \/projects\/1\/issues$/,
    ({ gitlab }, { query }) =>
      gitlab.issues.filter(
        ({ state, labels }) => state === query.get('state') && labels === query.get('labels'),
      ),
  ],
  [
    /^POST \/projects\/1\/issues$/,
    ({ gitlab }, { body }) => {
      const { title = '', description = '', labels = '' } = body;
      const issue = { iid: 100 + gitlab.issues.length, state: 'opened', title, description, labels };
      gitlab.issues.push(issue);
      return issue;
    },
  ],
  [
    /^PUT \/projects\/1\/issues\/(\d+)$/,
    ({ gitlab }, { match, body: { state_event: event, ...body } }) => {
      const issue = gitlab.issues.find(({ iid }) => iid === Number(match[1]));
      return issue && Object.assign(issue, body, event === 'close' && { state: 'closed' });
    },
  ],
];

/** The variables of a project, as each kind of pipeline gets them. */
export const variables = {
  /** Not protected. */
  every: { ATTUNE_READ_TOKEN: tokens.read, GITLAB_TOKEN: gitlabToken },
  /** Protected, and of the environment `production`. */
  production: { ATTUNE_READ_TOKEN: tokens.read, GITLAB_TOKEN: gitlabToken, ATTUNE_TOKEN: tokens.write },
} as const;

export async function edit(file: string, from: string, to: string): Promise<void> {
  await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
}
