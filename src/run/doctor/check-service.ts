import { type AccessFacts, accessFacts, type Caller } from '../../live/access-facts.ts';
import { bindingsFromDocument, includingBindings } from '../../live/included.ts';
import { aliasOf, type Configuration } from '../../model/configuration.ts';
import { AttuneError, DiagnosticsError } from '../../model/diagnostic.ts';
import { type Dialect, type Feature, featureNames } from '../../model/dialect.ts';
import { counted } from '../../model/text.ts';
import { isRecord } from '../../model/value.ts';
import type { Diagnosis } from '../../report/results.ts';
import { isMissingEndpoint, whereOffered } from '../../service/capabilities.ts';
import type { ServiceReader } from '../../service/client.ts';
import { type ResourceObject, relatedId, resourceOf } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { consumersOf, grantsOf, projectsOf, readPage, workspacesOf } from '../../service/paging.ts';
import { ServiceError } from '../../service/service-error.ts';
import { dialectOf } from '../../service/wire-codec.ts';
import type { Connection } from '../connect.ts';
import type { RunContext } from '../context.ts';

export interface Diagnosed {
  readonly configuration: Configuration;
  readonly file: string;
  readonly list: ReturnType<typeof createCheckList>;
  readonly context: RunContext;
  readonly connect: () => Connection;
}

type Checks = Diagnosis['checks'];

/** The checks of one root file. A check that depends on a failed one is skipped with the reason. */
export function createCheckList() {
  let checks: Checks = [];
  const adding = (status: Checks[number]['status']) => (check: string, evidence: string, fix?: string) => {
    checks = [...checks, { check, status, evidence, fix }];
  };
  const fail = adding('failed');
  return {
    checks: (): Checks => checks,
    ok: adding('ok'),
    warn: adding('warning'),
    fail,
    skip: adding('skipped'),
    skipOthers: (all: readonly string[], why: string): void => {
      checks = all.flatMap((check): Checks => {
        const found = checks.filter((one) => one.check === check);
        return found.length > 0 ? found : [{ check, status: 'skipped', evidence: why }];
      });
    },
    async attempt<Result>(check: string, run: () => Result | Promise<Result>): Promise<Result | undefined> {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof AttuneError)) throw error;
        const all = error instanceof DiagnosticsError ? error.diagnostics : [];
        const first = all.find(({ severity }) => severity === 'error') ?? error;
        fail(check, first.message, first.hint ?? 'run `attune plan --verbose` for all errors and requests');
        return undefined;
      }
    },
  };
}

/** @param source where the token is from; absent if the service is the embedded one */
export async function checkService(
  diagnosed: Diagnosed,
  source: string | undefined,
  refused: ServiceError | undefined,
) {
  const { configuration, list, connect } = diagnosed;
  const access = accessFacts(connect().client);
  const known = await list.attempt('token', async () => ({ caller: await access.caller() }));
  if (known) {
    const accepted = `${source}: accepted, ${callerText(known.caller, configuration)}`;
    list.ok('token', source === undefined ? 'none is needed' : accepted);
  }
  const seen = await list.attempt('organization', () => checkOrganization(diagnosed, access, refused));
  const facts = seen && { dialect: checkDialect(diagnosed, seen), settings: seen.settings.document };
  if (facts) await list.attempt('features', () => checkFeatures(diagnosed, seen.workspace, facts.dialect));
  checkLimits(diagnosed);
  return facts;
}

type SeenOrganization = NonNullable<Awaited<ReturnType<typeof checkOrganization>>>;

async function checkOrganization(
  { configuration, list, connect }: Diagnosed,
  access: AccessFacts,
  refused: ServiceError | undefined,
) {
  const { organization } = configuration.desired;
  if (refused) {
    const fix = refused.hint ?? 'use a token that is a member of the organization';
    list.fail('organization', `${organization}: ${refused.message}`, fix);
    return undefined;
  }
  const settings = await access.organization(organization);
  const page = await readPage(connect().client, workspacesOf(organization), 1, 1);
  const total = page.totalCount === undefined ? '' : `, ${counted(page.totalCount, 'visible workspace')}`;
  if (settings.isReadable === false) {
    list.warn(
      'organization',
      `${organization}: the workspaces are readable${total}, and the settings are not`,
      'use a token that is a member of the organization',
    );
  } else {
    const readable = settings.isReadable ? 'the settings and the workspaces' : 'the workspaces';
    list.ok('organization', `${organization}: ${readable} are readable${total}`);
  }
  return { settings, workspace: page.items[0] };
}

function callerText(caller: Caller | undefined, { aliases }: Configuration): string {
  if (caller === undefined) return 'the service does not show whose it is';
  const { kind, id, name } = caller;
  const holder = kind?.replace(/s$/, '') ?? 'user';
  const shown = kind === 'teams' ? aliasOf(aliases, 'teams', id) : id;
  return `a token of ${holder} ${holder === 'user' ? (name ?? id) : shown}`;
}

function checkDialect({ configuration, list, connect }: Diagnosed, { workspace }: SeenOrganization): Dialect {
  const { client } = connect();
  const declared = configuration.service.dialect;
  const ofDocument = workspace && dialectOf(workspace);
  if (declared && ofDocument && declared !== ofDocument) {
    const evidence = `service.dialect is \`${declared}\`, and the documents are in the dialect \`${ofDocument}\``;
    list.fail('dialect', evidence, `set service.dialect to \`${ofDocument}\`, or remove it`);
    return ofDocument;
  }
  const known = ofDocument ?? declared ?? client.capabilities.dialect() ?? (workspace && 'iac');
  if (known) {
    list.ok('dialect', known);
    return known;
  }
  list.warn(
    'dialect',
    'unknown: there is no workspace; "iac" is assumed',
    'set service.dialect to `iac` or `terraform`',
  );
  return 'iac';
}

async function checkFeatures(
  { configuration, list, connect }: Diagnosed,
  workspace: ResourceObject | undefined,
  dialect: Dialect,
): Promise<void> {
  const { client } = connect();
  const { organization } = configuration.desired;
  const probe = { client, organization, workspace, dialect };
  const found = new Map<Feature, boolean | undefined>();
  for (const feature of featureNames)
    found.set(feature, client.capabilities.lacks(feature) ? false : await isOffered(feature, probe));
  const texts = [
    [true, 'offers'],
    [false, 'does not offer'],
    [undefined, 'not shown without a write or an example:'],
  ] as const;
  const evidence = texts.flatMap(([state, text]) => {
    const names = featureNames.filter((feature) => found.get(feature) === state);
    return names.length > 0 ? `${text} ${names.join(', ')}` : [];
  });
  list.ok('features', evidence.join('; '));
}

interface Probe {
  readonly client: ServiceReader;
  readonly organization: string;
  readonly workspace: ResourceObject | undefined;
  readonly dialect: Dialect;
}

async function isOffered(feature: Feature, probe: Probe): Promise<boolean | undefined> {
  const { client, organization, workspace, dialect } = probe;
  const answers = async (read: () => Promise<unknown>): Promise<boolean | undefined> => {
    try {
      return (await whereOffered(client, feature, async () => [await read()])) !== undefined;
    } catch (error) {
      // A refusal of one object does not show whether the service has the endpoint.
      if (error instanceof ServiceError && error.status < 500 && !isMissingEndpoint(error)) return undefined;
      throw error;
    }
  };
  const { id } = workspace ?? {};
  const project = workspace && relatedId(workspace, 'project');
  switch (feature) {
    case 'projects':
      return answers(() => readPage(client, projectsOf(organization), 1, 1));
    case 'team-access':
      return project ? answers(() => readPage(client, grantsOf(project), 1, 1)) : undefined;
    case 'remote-state-consumers':
      return id ? answers(() => readPage(client, consumersOf(id), 1, 1)) : undefined;
    case 'data-retention':
      return id ? answers(() => client.get(pathTo('showRetention', { workspace: id }))) : undefined;
    case 'tag-bindings': {
      if (dialect === 'iac') return false;
      if (!id) return undefined;
      const document = await includingBindings(client).get(pathTo('showWorkspace', { workspace: id }));
      const shown = resourceOf(document);
      return shown && bindingsFromDocument(shown) !== undefined;
    }
    case 'safe-delete':
      return undefined;
    case 'setting-overwrites':
      return workspace && isRecord(workspace.attributes['setting-overwrites']);
    default:
      return feature satisfies never;
  }
}

function checkLimits({ configuration, list, connect }: Diagnosed): void {
  const { rateLimit } = connect().client.capabilities.announced();
  const { rate } = configuration.service;
  const announced =
    rateLimit === undefined ? 'the service announces none' : `X-RateLimit-Limit: ${rateLimit} requests`;
  list.ok(
    'limits',
    rate === undefined ? announced : `${announced}; service.rate: ${rate} requests per second`,
  );
}
