import { isAbsolute, resolve } from 'node:path';
import type { SourceLocation } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import type { ReportOrigin } from '../report/report.ts';
import { openGit } from './base/git.ts';
import type { Environment, RunIo } from './context.ts';
import { jobLink, webAddress } from './messages.ts';

export async function reportOrigin({
  env,
  cwd,
  date,
}: Pick<RunIo, 'env' | 'cwd' | 'date'>): Promise<ReportOrigin> {
  const commit = (env.GITHUB_SHA || env.CI_COMMIT_SHA || (await headOf(cwd, env)))?.trim();
  const known = commit && /^[0-9a-f]{7,64}$/i.test(commit) ? commit : undefined;
  return {
    at: date(),
    commit: known,
    page: pageOf(env),
    lineOf: known ? linesAt(known, cwd, env) : undefined,
  };
}

async function headOf(cwd: string, env: Environment): Promise<string | undefined> {
  try {
    const git = await openGit(cwd, cwd, env);
    return (await git?.run(['rev-parse', '--verify', '--quiet', 'HEAD']))?.toString('utf8');
  } catch {
    // A report needs no repository.
    return undefined;
  }
}

function pageOf(env: Environment): ReportOrigin['page'] {
  const [, pull] = /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? '') ?? [];
  const { CI_MERGE_REQUEST_PROJECT_URL: project, CI_MERGE_REQUEST_IID: merge } = env;
  const request = pull
    ? webAddress(`${repositoryOf(env)}/pull/${pull}`)
    : project && merge && webAddress(`${project}/-/merge_requests/${merge}`);
  if (request) return { title: pull ? `pull request #${pull}` : `merge request !${merge}`, url: request };
  const url = jobLink(env);
  return url === undefined ? undefined : { title: 'CI job', url };
}

function repositoryOf({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: Environment): string {
  return server && name ? `${server}/${name}` : '';
}

function linesAt(commit: string, cwd: string, env: Environment): ReportOrigin['lineOf'] {
  const github = repositoryOf(env);
  const [base, top] = github
    ? [`${github}/blob/${commit}`, env.GITHUB_WORKSPACE]
    : [env.CI_PROJECT_URL && `${env.CI_PROJECT_URL}/-/blob/${commit}`, env.CI_PROJECT_DIR];
  if (!base || !top) return undefined;
  return ({ file, line }: SourceLocation) => {
    const path = relativePath(top, resolve(cwd, file));
    if (path.startsWith('..') || isAbsolute(path)) return undefined;
    return webAddress(`${base}/${path.split('/').map(encodeURIComponent).join('/')}#L${line}`);
  };
}
