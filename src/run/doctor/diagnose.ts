import type { LoadedRoot } from '../../desired/load-root.ts';
import type { Configuration } from '../../model/configuration.ts';
import { relativePath } from '../../model/files.ts';
import { resourcesOf } from '../../model/state.ts';
import { commandLine, counted } from '../../model/text.ts';
import type { Diagnosis } from '../../report/results.ts';
import { embedded, embeddedData, parseAddress, printAddress, proxyFor } from '../../service/address.ts';
import { certificateFailure } from '../../service/failures.ts';
import { readPage, workspacesOf } from '../../service/paging.ts';
import { NetworkError, ServiceError } from '../../service/service-error.ts';
import { locateToken } from '../../service/token.ts';
import { type Connections, findAddress, openConnections } from '../connect.ts';
import type { RunContext } from '../context.ts';
import { loadRoots } from '../load.ts';
import { rootName, shownFrom } from '../report-entry.ts';
import { checkPermissions } from './check-permissions.ts';
import { checkService, createCheckList, type Diagnosed } from './check-service.ts';

/** In their order. The checks after one that ends the others are skipped with its reason. */
const order = [
  'configuration',
  'address',
  'proxy',
  'tls',
  'connection',
  'token',
  'organization',
  'dialect',
  'features',
  'limits',
  'permissions',
];

export async function diagnose(files: readonly string[], context: RunContext): Promise<readonly Diagnosis[]> {
  const { roots, configurations } = await loadRoots(files, context);
  await using connections = await openConnections(configurations, context);
  const diagnoses: Diagnosis[] = [];
  for (const root of roots) {
    context.progress.begin(`${root.organization ?? root.file}: checking`);
    const index = root.configuration && configurations.indexOf(root.configuration);
    diagnoses.push(await diagnoseRoot(root, connections, index, context));
  }
  context.progress.end();
  return diagnoses;
}

async function diagnoseRoot(
  root: LoadedRoot,
  connections: Pick<Connections, 'at'>,
  index: number | undefined,
  context: RunContext,
): Promise<Diagnosis> {
  const list = createCheckList();
  const { organization, configuration } = root;
  const file = rootName(root, context);
  if (configuration === undefined || index === undefined) {
    failConfiguration(root, list, context);
    list.skipOthers(order, 'the configuration is not valid');
  } else {
    list.ok('configuration', configurationText(configuration));
    const connect = () => connections.at(index);
    const why = await checkConnected({ configuration, file, list, context, connect });
    if (why !== undefined) list.skipOthers(order, why);
  }
  return { organization, file, checks: list.checks() };
}

function failConfiguration(root: LoadedRoot, list: Diagnosed['list'], context: RunContext): void {
  const { diagnostics, folder, file } = root;
  const { io, options } = context;
  const first = diagnostics.find(({ severity }) => severity === 'error');
  const path = shownFrom(io.cwd, folder);
  const at = first?.location ? `${path(first.location.file)}:${first.location.line}: ` : '';
  const source = options.app === undefined ? [relativePath(io.cwd, file)] : ['--app', options.app];
  list.fail(
    'configuration',
    `${at}${first?.message ?? 'not loaded'}`,
    `run \`${commandLine(['attune', 'validate', ...source])}\` for all errors`,
  );
}

function configurationText({ desired, diagnostics }: Configuration): string {
  const resources = [...desired.resources.values()];
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length;
  const counts = [
    counted(resourcesOf(resources, 'workspace').length, 'workspace'),
    counted(resourcesOf(resources, 'team-access').length, 'grant'),
    counted(resourcesOf(resources, 'project').length, 'managed project'),
  ].join(', ');
  return `valid: ${counts}${warnings > 0 ? `, ${counted(warnings, 'warning')} (run \`attune validate\`)` : ''}`;
}

async function checkConnected(diagnosed: Diagnosed): Promise<string | undefined> {
  const { list, configuration, context } = diagnosed;
  const url = await tryAddress(diagnosed);
  if (url === undefined) return 'there is no usable address';
  const proxy = await list.attempt('proxy', () => proxyText(url, context.io));
  if (proxy === undefined) return 'the proxy cannot be used';
  list.ok('proxy', proxy);
  const { organization } = configuration.desired;
  const token =
    url !== embedded && (await list.attempt('token', () => locateToken(url.host, organization, context.io)));
  if (token === undefined) return 'there is no token';
  const source = token ? token.source : undefined;
  const answer = await firstAnswer(diagnosed);
  if (answer instanceof NetworkError) {
    const host = url === embedded ? embedded : url.host;
    const refused = certificateFailure(answer.cause, host);
    if (refused) {
      list.fail('tls', refused.reason, refused.hint);
      return 'there is no trusted TLS connection';
    }
    list.fail('connection', answer.message, answer.hint ?? `check the address ${host}`);
    return 'the connection failed';
  }
  list.ok('tls', tlsText(url, context));
  list.ok('connection', `GET /organizations/${organization}/workspaces was answered`);
  if (answer?.status === 401) {
    const evidence = `${source}: the service does not accept it (401)`;
    list.fail('token', evidence, 'create a new token, and set it there');
    return 'the token is not valid';
  }
  const facts = await checkService(diagnosed, source, answer);
  if (!facts) return 'the organization is not readable';
  await list.attempt('permissions', () => checkPermissions(diagnosed, facts));
  return undefined;
}

async function tryAddress(diagnosed: Diagnosed): Promise<URL | typeof embedded | undefined> {
  const { configuration, file, list, context } = diagnosed;
  const found = findAddress(configuration, context);
  if (found === undefined) {
    list.fail(
      'address',
      'no address is set',
      'set service.address, ATTUNE_ADDRESS or --address; use `embedded` for a trial without an account',
    );
    return undefined;
  }
  const from = found.source === 'service.address' ? `service.address in ${file}` : found.source;
  if (found.address === embedded) {
    const data = relativePath(context.io.cwd, embeddedData(configuration));
    list.ok('address', `embedded, with its data in ${data} (${from})`);
    return embedded;
  }
  const url = await list.attempt('address', () => parseAddress(found.address));
  if (url) list.ok('address', `${printAddress(url)} (${from})`);
  return url;
}

function proxyText(url: URL | typeof embedded, { env }: RunContext['io']): string {
  if (url === embedded) return 'none: the embedded service is in this process';
  const proxy = proxyFor(url, env);
  return proxy ? `${proxy.shown} (${proxy.variable})` : 'none: the address is reached directly';
}

async function firstAnswer(diagnosed: Diagnosed): Promise<NetworkError | ServiceError | undefined> {
  const { configuration, connect } = diagnosed;
  try {
    await readPage(connect().client, workspacesOf(configuration.desired.organization), 1, 1);
    return undefined;
  } catch (error) {
    if (error instanceof NetworkError || error instanceof ServiceError) return error;
    throw error;
  }
}

function tlsText(url: URL | typeof embedded, { io }: RunContext): string {
  if (url === embedded) return 'not used: the embedded service is in this process';
  if (url.protocol === 'http:') return 'not used: http to a loopback address';
  const extra = io.env.NODE_EXTRA_CA_CERTS;
  return `the certificate of ${url.host} is trusted${extra ? ` (with NODE_EXTRA_CA_CERTS=${extra})` : ''}`;
}
