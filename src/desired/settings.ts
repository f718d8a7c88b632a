import { resolve } from 'node:path';
import type {
  AdminGuard,
  Configuration,
  Guards,
  Limits,
  Protection,
  Prune,
  Scope,
  ServiceSettings,
} from '../model/configuration.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { isInside, realPathOutside } from '../model/files.ts';
import { messageEvents, type Receiver } from '../model/rules.ts';
import { quote } from '../model/text.ts';
import { withoutUndefined } from '../model/value.ts';
import { embedded, parseAddress } from '../service/address.ts';
import { isTokenVariable } from '../service/token.ts';
import type { Settings } from './declarations.ts';
import { type Loading, reporter } from './problems.ts';
import { type ReadContext, readSelector, selectorText } from './references.ts';
import type { RawFile } from './schema/language.ts';
import { checkSelectedTags } from './tag-bindings.ts';

interface SettingsContext extends ReadContext {
  readonly folder: string;
}

export function readPlanSettings(
  file: Settings,
  context: SettingsContext,
): Pick<Configuration, 'service' | 'scope' | 'scopeAt' | 'prune' | 'limits' | 'guards' | 'notify'> {
  const scope = readScope(file, context);
  return {
    service: readService(file, context),
    scope,
    // Without the key, this is where the scope starts.
    scopeAt: file.scope && reporter(context.loading).atKey(file.scope, 'enforce'),
    prune: readPrune(file, context.loading),
    limits: readLimits(file, context.loading),
    guards: readGuards(file, context),
    notify: file.notify && readReceivers(file.notify, context.loading),
  };
}

function readReceivers(written: NonNullable<Settings['notify']>, loading: Loading): readonly Receiver[] {
  const { error, atKey, atValue } = reporter(loading);
  const receivers: Receiver[] = [];
  for (const entry of written) {
    const { to, 'url-env': urlEnv, 'secret-env': secretEnv, on = messageEvents, ...unknown } = entry;
    // A wrong value was removed: without its events or its key, a receiver would get what it did not ask for.
    const isWrong = Object.values(entry).includes(undefined) || Object.keys(unknown).length > 0;
    if (to === undefined || urlEnv === undefined || isWrong) continue;
    if (secretEnv !== undefined && to !== 'webhook') {
      const message = `"secret-env" is only for a webhook: ${to} takes no signature`;
      error('bad-value', message, atKey(entry, 'secret-env'));
    } else if (secretEnv !== undefined && isTokenVariable(secretEnv)) {
      const message = `"secret-env" cannot be ${quote(secretEnv)}: it contains the token of a service`;
      const hint = 'set another variable to a new key, and name that variable';
      error('bad-value', message, atValue(entry, 'secret-env'), hint);
    } else receivers.push({ to, urlEnv, secretEnv, on });
  }
  return receivers;
}

function readService({ service = {} }: Settings, { folder, loading }: SettingsContext): ServiceSettings {
  const { address, data, seed, ...others } = service;
  if (address !== undefined && address !== embedded) checkAddress(address, service, loading);
  return withoutUndefined({
    address: address?.replace(/(?<!\/)\/+$/, ''),
    ...others,
    data: data === undefined ? undefined : resolve(folder, data),
    seed: seed === undefined ? undefined : resolve(folder, seed),
  });
}

/** An address that no command can use is an error of the file, even where another one overrides it. */
function checkAddress(address: string, service: object, loading: Loading): void {
  const { error, atValue } = reporter(loading);
  try {
    parseAddress(address);
  } catch (thrown) {
    if (!(thrown instanceof AttuneError)) throw thrown;
    error(thrown.code, thrown.message, atValue(service, 'address'), thrown.hint);
  }
}

const pathHints = {
  data: 'write a path inside the folder, such as .attune/embedded.json',
  seed: 'move the file into the folder',
} as const;

/**
 * Reports files of the embedded service outside the folder of the root file, also through links: a change under review can
 * bring such a path, and the service writes `data`.
 */
export async function checkServicePaths(
  { service }: RawFile,
  { folder, loading }: Pick<SettingsContext, 'folder' | 'loading'>,
): Promise<void> {
  const { error, atValue } = reporter(loading);
  for (const key of ['data', 'seed'] as const) {
    const written = service?.[key];
    if (!service || written === undefined || (await isFileInside(resolve(folder, written), folder))) continue;
    const message = `service.${key} ${quote(written)} is outside the folder of the root file`;
    error('path-outside', message, atValue(service, key), pathHints[key]);
  }
}

/** A path that the system cannot resolve is reported when it is opened. */
async function isFileInside(path: string, folder: string): Promise<boolean> {
  if (!isInside(folder, path) || resolve(folder) === path) return false;
  return (await realPathOutside(path, folder).catch(() => undefined)) === undefined;
}

function readScope({ scope }: Settings, { loading, references }: SettingsContext): Scope | undefined {
  if (!scope) return undefined;
  const { projects, tags, names, tagged, adopt = [], enforce = true } = scope;
  const report = reporter(loading);
  checkSelectedTags(scope, report);
  const ids = projects?.map(
    (project, index) => references.resolve('projects', project, report.atValue(projects, index)) ?? project,
  );
  const taggedAt = tagged && report.atKey(scope, 'tagged');
  return { projects: ids, tags, names, tagged, taggedAt, adopt, enforce };
}

function readPrune(file: Settings, loading: Loading): Prune {
  const { prune = {} } = file;
  const { workspaces = 'keep', 'team-access': teamAccess } = prune;
  const { error, atValue } = reporter(loading);
  const message = `prune.workspaces: ${workspaces} requires "scope": it defines which workspaces this configuration owns`;
  if (workspaces !== 'keep' && !Object.hasOwn(file, 'scope'))
    error('missing-key', message, atValue(prune, 'workspaces'));
  if (teamAccess === undefined) return { workspaces, teamAccess: false };
  return { workspaces, teamAccess, locations: { teamAccess: atValue(prune, 'team-access') } };
}

/** The limits that hold where the file names none; a file that names one keeps the defaults of the others. */
const defaultLimits = { deletes: 10, deletePercent: 30 } as const;
export const limitKeys = {
  deletes: 'deletes',
  deletePercent: 'delete-percent',
  revokes: 'revokes',
  updates: 'updates',
  updatePercent: 'update-percent',
  exceptionDays: 'exception-days',
} as const satisfies Partial<Record<keyof Limits, string>>;

function readLimits({ limits }: Settings, loading: Loading): Limits {
  if (!limits) return defaultLimits;
  const { atValue } = reporter(loading);
  const given = Object.entries(limitKeys).filter(([, name]) => limits[name] !== undefined);
  return {
    ...defaultLimits,
    ...Object.fromEntries(given.map(([key, name]) => [key, limits[name]])),
    locations: Object.fromEntries(given.map(([key, name]) => [key, atValue(limits, name)])),
  };
}

function readGuards({ guards, service }: Settings, context: SettingsContext): Guards {
  if (!guards) return { protect: [] };
  const { protect = [], 'keep-admin': keepAdmin, 'keep-self': keepSelf } = guards;
  const { error, atKey, atValue } = reporter(context.loading);
  // Else a file could turn its guards off.
  for (const key of service?.without?.includes('team-access') ? (['keep-admin', 'keep-self'] as const) : []) {
    const message = `guards.${key} checks team access, which service.without leaves out`;
    const hint = 'remove team-access from service.without';
    if (guards[key]) error('not-offered', message, atKey(guards, key), hint);
  }
  const adminGuard = (teams: readonly string[]): AdminGuard => ({
    teams: new Map(
      teams.flatMap((team, index) => {
        const id = context.references.resolve('teams', team, atValue(teams, index));
        return id === undefined ? [] : [[id, team] as const];
      }),
    ),
    location: atValue(guards, 'keep-admin'),
  });
  return {
    keepAdmin: keepAdmin && [adminGuard(keepAdmin)],
    keepSelf: keepSelf ? atValue(guards, 'keep-self') : undefined,
    protect: protect.map((entry, index): Protection => {
      const location = atValue(protect, index);
      // A name is a pattern, as under `name` of a selector.
      if (typeof entry === 'string') return { selector: { name: entry }, written: quote(entry), location };
      return { selector: readSelector(entry, context), written: selectorText(entry), location };
    }),
  };
}
