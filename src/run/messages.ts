import { createHmac } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { AttuneError, type Diagnostic, type SourceLocation, warning } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import { groupBy } from '../model/value.ts';
import { messagesAbout, type Outgoing, payloadOf } from '../report/message.ts';
import type { Report, ReportOrigin } from '../report/report.ts';
import { isLoopback, proxyFor } from '../service/address.ts';
import { createTransport } from '../service/client.ts';
import { connectionFailure } from '../service/failures.ts';
import type { Transport } from '../service/http-transport.ts';
import { openGit } from './base/git.ts';
import { type Environment, masked, type RunContext, type RunIo } from './context.ts';
import { failureOf } from './errors.ts';

export function messagesOf(report: Report, { io }: Pick<RunContext, 'io'>): readonly Outgoing[] {
  const messages = messagesAbout(report, { at: io.date(), link: jobLink(io.env) });
  return messages.filter(({ message }) => message.event !== 'resolved');
}

/** Milliseconds for all messages of a run or a cycle together, so that no receiver delays it longer. */
const longest = 9000;
/** Seconds for one attempt. */
const timeout = 3;
/** Milliseconds before the second and the third attempt. */
const waits = [250, 500];

/**
 * Sends messages: the receivers at the same time, the messages of one receiver one after the other. It takes 10 seconds at
 * most, and never throws.
 */
export async function sendMessages(
  messages: readonly Outgoing[],
  context: RunContext,
  stop?: AbortSignal,
): Promise<{ readonly delivered: readonly Outgoing[]; readonly warnings: readonly Diagnostic[] }> {
  const timeUp = AbortSignal.timeout(longest);
  const end = stop ? AbortSignal.any([timeUp, stop]) : timeUp;
  const groups = groupBy(messages, ({ receiver: { to, urlEnv, secretEnv } }) =>
    JSON.stringify([to, urlEnv, secretEnv]),
  );
  const delivered: Outgoing[] = [];
  const outcomes = [...groups.values()].map(async (group) => {
    const [{ receiver }] = group as [Outgoing];
    const failures = await failureOf(sendAll(group, context, end, delivered), context);
    return failures.map(({ message, hint }) => {
      const text = masked(`a message to ${receiver.to} was not sent: ${message}`, context.secrets);
      const usual = `check the address in ${receiver.urlEnv}, and that this machine may connect to it`;
      return warning('message-not-sent', text, { hint: hint ?? usual });
    });
  });
  return { warnings: (await Promise.all(outcomes)).flat(), delivered };
}

function notSent(why: string, hint?: string): AttuneError {
  return new AttuneError(why, { hint });
}

async function sendAll(
  group: readonly Outgoing[],
  context: RunContext,
  end: AbortSignal,
  delivered: Outgoing[],
): Promise<void> {
  const { urlEnv, secretEnv } = (group[0] as Outgoing).receiver;
  const url = addressIn(urlEnv, context);
  const secret = secretEnv === undefined ? undefined : context.io.env[secretEnv];
  if (secretEnv !== undefined && !secret)
    throw notSent(`${secretEnv} is not set`, `set ${secretEnv} to the key of the signature`);
  const proxy = proxyFor(url, context.io.env);
  for (const one of proxy?.secrets ?? []) context.secrets.add(one);
  const transport = createTransport({ origin: url.origin, connections: 1, timeout, proxy });
  const stop = () => void transport.close().catch(() => {});
  end.addEventListener('abort', stop, { once: true });
  try {
    if (end.aborted) throw endedBy(end);
    for (const one of group) {
      await sendOne(one, { transport, url, secret, context, end });
      delivered.push(one);
    }
  } finally {
    end.removeEventListener('abort', stop);
    await transport.close();
  }
}

/** The address is a secret: no text contains it. */
function addressIn(urlEnv: string, { io, secrets }: RunContext): URL {
  const address = io.env[urlEnv]?.trim();
  if (!address) throw notSent(`${urlEnv} is not set`, `set ${urlEnv} to the address of the webhook`);
  const hint = `set ${urlEnv} to an https address without a user name`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw notSent(`${urlEnv} is not an address`, hint);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw notSent(`the address in ${urlEnv} is plain http to another machine`, hint);
  // Only an address is masked: any other value, such as the name of a branch, could be a part of a report.
  secrets.add(address);
  secrets.add(url.href);
  // A short path, such as /production, can also be a part of the paths of files.
  if (/[^/]{16}/.test(url.pathname)) secrets.add(url.pathname);
  if (url.search.length > 1) secrets.add(url.search);
  return url;
}

interface Delivery {
  readonly context: RunContext;
  readonly end: AbortSignal;
  readonly transport: Transport;
  readonly url: URL;
  readonly secret: string | undefined;
}

async function sendOne({ message, receiver }: Outgoing, delivery: Delivery): Promise<void> {
  const { transport, url, secret, context, end } = delivery;
  const body = masked(JSON.stringify(payloadOf[receiver.to](message)), context.secrets);
  for (let attempt = 0; ; attempt += 1) {
    const seconds = Math.floor(context.io.date().getTime() / 1000);
    const answer = await transport
      .exchange({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'attune',
          ...(secret !== undefined && { 'x-attune-signature': signature(body, secret, seconds) }),
        },
        body,
        statusOnly: true,
      })
      .catch(whyLost);
    const isLost = typeof answer === 'string';
    if (!isLost && answer.status >= 200 && answer.status < 300) return;
    const why = isLost ? answer : `it answered ${answer.status}`;
    if (end.aborted) throw endedBy(end);
    const isFinal = !isLost && answer.status !== 429 && answer.status < 500;
    const wait = waits[attempt];
    if (isFinal || wait === undefined) throw notSent(why);
    await context.io.clock.sleep(wait, end).catch(() => {});
    if (end.aborted) throw endedBy(end, why);
  }
}

/** The host can be a secret, too. */
function whyLost(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `it did not answer within ${timeout} seconds`;
  return connectionFailure(error);
}

function endedBy(end: AbortSignal, why = `it did not answer within ${longest / 1000} seconds`): AttuneError {
  const isLate = (end.reason as Error | undefined)?.name === 'TimeoutError';
  return isLate ? notSent(why) : notSent('the run was stopped');
}

function signature(body: string, secret: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

function jobLink(env: Environment): string | undefined {
  const repository = env.GITHUB_RUN_ID && repositoryOf(env);
  return webAddress(repository ? `${repository}/actions/runs/${env.GITHUB_RUN_ID}` : (env.CI_JOB_URL ?? ''));
}

function webAddress(text: string): string | undefined {
  if (!URL.canParse(text) || !/^https?:/.test(text)) return undefined;
  return new URL(text).href.replaceAll('|', '%7C');
}

export async function reportOrigin(io: Pick<RunIo, 'env' | 'cwd' | 'date'>): Promise<ReportOrigin> {
  const { env, cwd, date } = io;
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
