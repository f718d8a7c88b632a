// Replaces `gh`: keeps comments, issues and artifacts in a file, and accepts only the commands of the recipes.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = 'repos/acme/infrastructure';
const home = process.env.FAKE_GITHUB;
const file = join(home, 'github.json');
const github = JSON.parse(readFileSync(file, 'utf8'));
const [command, ...rest] = process.argv.slice(2);
const words = [];
const flags = new Map();
const switches = ['--silent', '--paginate', '--force'];
while (rest.length > 0) {
  const word = rest.shift();
  if (!word.startsWith('--')) words.push(word);
  else flags.set(word, switches.includes(word) ? true : rest.shift());
}

if (!process.env.GH_TOKEN) fail('set GH_TOKEN');
if (process.env.ATTUNE_TOKEN) fail('a step that talks to GitHub needs no token of the service');
if (command === 'api') api();
else if (command === 'run') download();
else if (command === 'label')
  take(['create', 'attune-drift'], ['--description', '--force'], () => github.labels.push('attune-drift'));
else if (command === 'issue') issue();
else fail(`gh ${command}?`);
writeFileSync(file, JSON.stringify(github, null, 2));

function api() {
  only(['--silent', '--paginate', '--method', '--field', '--jq']);
  const [path, query = ''] = words[0].split('?');
  const route = `${flags.get('--method') ?? 'GET'} ${path.replace(repository, '')}`;
  const asked = Object.fromEntries(new URLSearchParams(query));
  const body = flags.has('--field') ? bodyField() : undefined;
  const routes = [
    [
      /^GET \/issues\/(\d+)\/comments$/,
      'pull-requests: read',
      ([number]) => github.comments.filter((one) => one.on === Number(number)),
    ],
    [/^POST \/issues\/(\d+)\/comments$/, 'pull-requests: write', ([number]) => comment(Number(number), body)],
    [
      /^PATCH \/issues\/comments\/(\d+)$/,
      'pull-requests: write',
      ([id]) => Object.assign(by(github.comments, 'id', id), { body }),
    ],
    [/^GET \/commits\/(\w+)\/pulls$/, 'pull-requests: read', () => github.pulls],
    [
      /^GET \/actions\/workflows\/([\w-]+\.yml)\/runs$/,
      'actions: read',
      ([workflow]) => ({ workflow_runs: runs(workflow, asked) }),
    ],
    [
      /^GET \/issues$/,
      'issues: read',
      () => github.issues.filter((one) => one.state === asked.state && one.labels.includes(asked.labels)),
    ],
    [
      /^PATCH \/issues\/(\d+)$/,
      'issues: write',
      ([number]) => Object.assign(by(github.issues, 'number', number), { body }),
    ],
  ];
  const [pattern, permission, answer] =
    routes.find(([one]) => one.test(route)) ?? fail(`no such route: ${route}`);
  allow(permission);
  const document = answer(pattern.exec(route).slice(1));
  if (!flags.has('--silent')) print(document);
}

function runs(workflow, { head_sha: sha, status, branch }) {
  return github.runs.filter(
    (run) =>
      run.workflow === workflow &&
      (sha === undefined || run.head_sha === sha) &&
      (branch === undefined || run.head_branch === branch) &&
      run.status === status,
  );
}

function comment(on, body) {
  github.comments.push({
    id: 9000 + github.comments.length,
    on,
    user: { login: 'github-actions[bot]' },
    body,
  });
}

function download() {
  only(['--repo', '--name', '--dir']);
  if (words[0] !== 'download') fail('gh run?');
  allow('actions: read');
  const from = join(home, 'artifacts', words[1], flags.get('--name'));
  if (!existsSync(from)) fail('no artifact matches any of the names or patterns provided');
  cpSync(from, flags.get('--dir'), { recursive: true });
}

function issue() {
  if (process.env.GH_REPO !== 'acme/infrastructure') fail('set GH_REPO');
  if (words[0] === 'close') {
    take(['close', words[1]], ['--comment'], () =>
      Object.assign(by(github.issues, 'number', words[1]), { state: 'closed' }),
    );
  } else {
    take(['create'], ['--title', '--label', '--body-file'], () => {
      const label = flags.get('--label');
      if (!github.labels.includes(label)) fail(`could not add label: '${label}' not found`);
      const body = readFileSync(flags.get('--body-file'), 'utf8');
      const number = 100 + github.issues.length;
      github.issues.push({ number, state: 'open', labels: [label], title: flags.get('--title'), body });
    });
  }
}

function take(expected, known, act) {
  if (words.join(' ') !== expected.join(' ')) fail(`gh ${command} ${words.join(' ')}?`);
  only(known);
  allow('issues: write');
  act();
}

/** `--field body=@FILE`, the one form that the recipes use. */
function bodyField() {
  const [, name] = /^body=@(.+)$/.exec(flags.get('--field')) ?? fail('which field?');
  const body = readFileSync(name, 'utf8');
  return body.length <= 65_536 ? body : fail('HTTP 422: body is too long');
}

function only(known) {
  for (const flag of flags.keys()) if (!known.includes(flag)) fail(`unknown flag: ${flag}`);
}

/** A token that may write may read. */
function allow(permission) {
  const [scope, level] = permission.split(': ');
  const given = JSON.parse(process.env.FAKE_PERMISSIONS)[scope];
  if (given !== level && given !== 'write') fail('HTTP 403: Resource not accessible by integration');
  github.used.push(permission);
}

function print(document) {
  const { status, stdout, stderr } = spawnSync('jq', ['-r', flags.get('--jq') ?? '.'], {
    input: JSON.stringify(document),
    encoding: 'utf8',
  });
  if (status !== 0) fail(stderr);
  process.stdout.write(stdout);
}

function by(list, key, value) {
  return list.find((one) => String(one[key]) === value) ?? fail('HTTP 404: Not Found');
}

function fail(message) {
  process.stderr.write(`gh: ${message}\n`);
  process.exit(1);
}
