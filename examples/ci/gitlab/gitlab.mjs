// ci/gitlab.mjs: the GitLab API calls of the jobs of .gitlab-ci.yml. Needs Node and nothing else.
//
//   comment FILE           one comment on the merge request, written or updated
//   drift-issue CODE FILE  one issue, opened, updated or closed, by the exit code of `attune drift`
//   fetch-plan             the plan of the merge request that this commit merged, into reviewed/
//   fetch-snapshot         live.json of the last nightly run, for forks
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';

const { env } = process;
const project = `/projects/${env.CI_PROJECT_ID}`;
const commands = {
  comment,
  'drift-issue': driftIssue,
  'fetch-plan': fetchPlan,
  'fetch-snapshot': fetchSnapshot,
};
const [command, ...words] = process.argv.slice(2);
await commands[command](...words).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});

async function comment(file) {
  if (!env.CI_MERGE_REQUEST_IID) return;
  const body = await readFile(file, 'utf8');
  const notes = `${project}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`;
  const me = await request('GET', '/user');
  const own = await firstOf(
    notes,
    (note) => note.author.id === me.id && note.body.startsWith('<!-- attune:plan:'),
  );
  if (own) await request('PUT', `${notes}/${own.id}`, { body });
  else await request('POST', notes, { body });
}

async function driftIssue(code, file) {
  // 0: as declared; 2: drift; anything else is an error of the job.
  if (code !== '0' && code !== '2') throw new Error('attune drift failed; the issue stays as it is');
  const [issue] = await request('GET', `${project}/issues?state=opened&labels=attune-drift`);
  const description = await readFile(file, 'utf8');
  if (code === '0') {
    if (issue) await request('PUT', `${project}/issues/${issue.iid}`, { state_event: 'close' });
  } else if (issue) {
    await request('PUT', `${project}/issues/${issue.iid}`, { description });
  } else {
    const title = 'Drift: the live state is not as declared';
    await request('POST', `${project}/issues`, { title, description, labels: 'attune-drift' });
  }
}

async function fetchPlan() {
  const sha = env.CI_COMMIT_SHA;
  // A plan that was made manually from this very commit is newer than the merge request's.
  const manual = await request('GET', `${project}/pipelines?sha=${sha}&source=web`);
  const job = await newestJob(project, [...manual, ...(await pipelinesOfMerge(sha))], 'plan');
  const again = 'Run a pipeline on the default branch, look at its plan, then run this job again.';
  if (!job) throw new Error(`No plan was reviewed for this commit; nothing was applied. ${again}`);
  await mkdir('reviewed', { recursive: true });
  for (const file of ['plan.json', 'plan.tree']) {
    await writeFile(`reviewed/${file}`, await request('GET', `${project}/jobs/${job.id}/artifacts/${file}`));
  }
  const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' });
  if ((await readFile('reviewed/plan.tree', 'utf8')) !== tree) {
    throw new Error(`The plan was made from other files than those merged; nothing was applied. ${again}`);
  }
}

/** The pipelines of the merge request that a commit merged: by a merge commit, a squash or a fast-forward. */
async function pipelinesOfMerge(sha) {
  const related = await request('GET', `${project}/repository/commits/${sha}/merge_requests`);
  const merged = related.find(
    (one) => one.state === 'merged' && [one.merge_commit_sha, one.squash_commit_sha, one.sha].includes(sha),
  );
  if (!merged) return [];
  const pipelines = await request('GET', `${project}/merge_requests/${merged.iid}/pipelines`);
  // What a fork's own pipeline has made is not trusted.
  return pipelines.filter((pipeline) => String(pipeline.project_id) === env.CI_PROJECT_ID);
}

async function fetchSnapshot() {
  const target = `/projects/${env.CI_MERGE_REQUEST_PROJECT_ID}`;
  const nightly = await request('GET', `${target}/pipelines?source=schedule`);
  const job = await newestJob(target, nightly, 'drift');
  if (!job) throw new Error('There is no snapshot: run the nightly schedule once.');
  await writeFile('live.json', await request('GET', `${target}/jobs/${job.id}/artifacts/live.json`));
}

/** Lists of pipelines have the newest first. */
async function newestJob(owner, pipelines, name) {
  for (const { id } of pipelines) {
    const jobs = await request('GET', `${owner}/pipelines/${id}/jobs?scope[]=success&per_page=100`);
    const job = jobs.find((one) => one.name === name);
    if (job) return job;
  }
  return undefined;
}

async function firstOf(path, isWanted) {
  for (let page = 1; ; page += 1) {
    const items = await request('GET', `${path}?sort=asc&per_page=100&page=${page}`);
    const found = items.find(isWanted);
    if (found || items.length < 100) return found;
  }
}

/** A `Bearer` token is not sent on when GitLab redirects to where it stores artifacts. */
async function request(method, path, body) {
  const headers = env.GITLAB_TOKEN ? { authorization: `Bearer ${env.GITLAB_TOKEN}` } : {};
  const response = await fetch(env.CI_API_V4_URL + path, {
    method,
    headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const by = env.GITLAB_TOKEN ? 'with GITLAB_TOKEN' : 'without GITLAB_TOKEN';
  if (!response.ok) throw new Error(`GitLab: ${method} ${path} ${by} answered ${response.status}`);
  return path.includes('/artifacts/') ? response.text() : response.json();
}
