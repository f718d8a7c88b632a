import { tmpdir } from 'node:os';
import { win32 } from 'node:path';
import { expect, test } from 'vitest';
import { accessPage } from '../../src/report/html/access.ts';
import { renderHtml } from '../../src/report/html/html.ts';
import { reportOrigin } from '../../src/run/messages.ts';
import { shownFrom } from '../../src/run/report-entry.ts';

const date = () => new Date('2026-11-28T12:00:00Z');
const place = { file: 'teams/a b.yaml', line: 7, column: 1 };
const github = {
  GITHUB_SERVER_URL: 'https://github.example',
  GITHUB_REPOSITORY: 'acme/infra',
  GITHUB_RUN_ID: '5',
  GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
  GITHUB_WORKSPACE: '/work',
};

test('a report of a GitHub job links to its pull request, else to the job, and to lines of the commit', async () => {
  const of = (env: Record<string, string>) => reportOrigin({ env, cwd: '/work/infra', date });
  const pull = await of({ ...github, GITHUB_REF: 'refs/pull/42/merge' });
  expect(pull.commit).toBe(github.GITHUB_SHA);
  expect(pull.page).toEqual({ title: 'pull request #42', url: 'https://github.example/acme/infra/pull/42' });
  expect((await of(github)).page).toEqual({
    title: 'CI job',
    url: 'https://github.example/acme/infra/actions/runs/5',
  });
  expect(pull.lineOf?.(place)).toBe(
    `https://github.example/acme/infra/blob/${github.GITHUB_SHA}/infra/teams/a%20b.yaml#L7`,
  );
  expect(pull.lineOf?.({ ...place, file: '/elsewhere/a.yaml' })).toBeUndefined();
});

test('a report of a GitLab job links to its merge request', async () => {
  const env = {
    CI_COMMIT_SHA: 'abcdef0123456789',
    CI_PROJECT_URL: 'https://gitlab.example/acme/infra',
    CI_PROJECT_DIR: '/work',
    CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.example/acme/infra',
    CI_MERGE_REQUEST_IID: '3',
  };
  const { page, lineOf } = await reportOrigin({ env, cwd: '/work', date });
  expect(page?.url).toBe('https://gitlab.example/acme/infra/-/merge_requests/3');
  expect(lineOf?.(place)).toBe(
    'https://gitlab.example/acme/infra/-/blob/abcdef0123456789/teams/a%20b.yaml#L7',
  );
});

test('the header of a page has the time, the commit and a link, and places link to lines', async () => {
  const outside = await reportOrigin({ env: {}, cwd: tmpdir(), date });
  expect(outside).toEqual({ at: date() });
  const diagnostic = { severity: 'error', code: 'x', message: 'no', location: place } as const;
  const entries = [{ diagnostics: [diagnostic], path: (file: string) => file }];
  const origin = await reportOrigin({ env: github, cwd: '/work', date });
  const page = renderHtml({ kind: 'validate', entries, origin });
  expect(page).toContain('<time datetime="2026-11-28T12:00:00.000Z">2026-11-28 12:00 UTC</time>');
  expect(page).toContain('commit <code>0123456789ab</code>');
  expect(page).toContain('<a href="https://github.example/acme/infra/actions/runs/5">CI job</a>');
  expect(page).toContain('/teams/a%20b.yaml#L7">teams/a b.yaml:7</a>');
  const question = { stateOf: 'network' };
  const row = {
    workspace: 'a',
    project: 'b (x.yaml:1)',
    via: 'list',
    source: 'remote-state-consumers',
  } as const;
  const rows = [{ ...row, location: place }];
  const about = { organization: 'acme', address: 'https://iac.example', state: 'live' } as const;
  const answer = accessPage({ ...about, question, rows, diagnostics: [] }, origin);
  expect(answer).toContain('commit <code>0123456789ab</code>');
  expect(answer.match(/<td .*<\/td>/)?.[0]).toBe(
    `<td data-label="PROJECT">b (x.yaml:1)</td><td data-label="VIA">list</td><td data-label="SOURCE">remote-state-consumers (<a href="${origin.lineOf?.(place)}">teams/a b.yaml:7</a>)</td>`,
  );
});

test.each([
  ['C:\\live', 'workspaces/a.yaml', 'workspaces/a.yaml'],
  ['C:\\live\\prod', 'workspaces/a.yaml', 'prod/workspaces/a.yaml'],
  ['C:\\live\\prod', 'D:/policies/a.yaml', 'D:/policies/a.yaml'],
  ['D:\\prod', 'a.yaml', 'D:/prod/a.yaml'],
])('a run in C:\\live on Windows, with a root file in %s, shows the file %s as %s', (folder, file, shown) => {
  expect(shownFrom('C:\\live', folder, win32)(file)).toBe(shown);
});
