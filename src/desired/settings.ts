import { resolve } from 'node:path';
import { AttuneError } from '../model/attune-error.ts';
import type { Configuration, Limits, Prune, Scope, ServiceSettings } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { isInside, realPathOutside } from '../model/files.ts';
import { messageEvents, type Receiver } from '../model/rules.ts';
import { quote } from '../model/text.ts';
import { embedded, parseAddress } from '../service/address.ts';
import { isTokenVariable } from '../service/credentials.ts';
import { declaredTwice } from './declarations.ts';
import { locateKey, locateValue } from './files/source.ts';
import { isSynthesized } from './files/synthesized.ts';
import { readGuards } from './guards.ts';
import type { Loading } from './problems.ts';
import type { ReadContext } from './references.ts';
import type { RawFile } from './schema/language.ts';
import { checkSelectedTags } from './tag-bindings.ts';

/** The sections that configure planning are declared once: in the root file, or in the file of a program; defaults in any file. */
const settingSections = [
  'service',
  'defaults',
  'scope',
  'prune',
  'limits',
  'guards',
  'exceptions',
  'freeze',
  'notify',
] as const;
/** The limits that hold where the file names none; a file that names one keeps the defaults of the others. */
const defaultLimits = { deletes: 10, deletePercent: 30 } as const;
const limitKeys = [
  ['deletes', 'deletes'],
  ['deletePercent', 'delete-percent'],
  ['revokes', 'revokes'],
  ['updates', 'updates'],
  ['updatePercent', 'update-percent'],
  ['exceptionDays', 'exception-days'],
] as const satisfies readonly (readonly [keyof Limits, string])[];
export type Settings = Pick<RawFile, (typeof settingSections)[number]>;

/** Sections that any included file may contain. */
const sharedSections: readonly string[] = ['defaults'];

/** @param files the root file, then the included ones */
export function gatherSettings(files: readonly RawFile[], { origins, problems }: Loading): Settings {
  const settings: Record<string, unknown> = {};
  for (const key of settingSections) {
    const [first, ...others] = files.filter(
      (file, index) =>
        Object.hasOwn(file, key) && (index === 0 || isSynthesized(file) || sharedSections.includes(key)),
    );
    if (!first) continue;
    settings[key] = first[key];
    const place = locateKey(origins, first, key);
    for (const other of others)
      problems.add(...declaredTwice(`the section ${quote(key)}`, place, locateKey(origins, other, key)));
  }
  return settings as Settings;
}

interface SettingsContext extends ReadContext {
  readonly folder: string;
}

/** The sections that configure planning rather than declare resources. */
export function readPlanSettings(
  file: Settings,
  context: SettingsContext,
): Pick<Configuration, 'service' | 'scope' | 'prune' | 'limits' | 'guards' | 'notify'> {
  const scope = readScope(file, context);
  checkPrune(file, context.loading);
  return {
    service: readService(file, context),
    ...(scope && { scope }),
    prune: readPrune(file, context.loading),
    limits: readLimits(file, context.loading),
    guards: readGuards(file, context),
    ...(file.notify && { notify: readReceivers(file.notify, context.loading) }),
  };
}

function readReceivers(
  written: NonNullable<Settings['notify']>,
  { origins, problems }: Loading,
): readonly Receiver[] {
  const receivers: { readonly receiver: Receiver; readonly location: SourceLocation }[] = [];
  for (const [index, entry] of written.entries()) {
    const { to, 'url-env': urlEnv, 'secret-env': secretEnv, on = messageEvents } = entry;
    // A wrong value was removed: without its events or its key, a receiver would get what it did not ask for.
    const isRemoved = (['on', 'secret-env'] as const).some(
      (key) => Object.hasOwn(entry, key) && entry[key] === undefined,
    );
    if (to === undefined || urlEnv === undefined || isRemoved) continue;
    if (secretEnv !== undefined && to !== 'webhook')
      problems.error('bad-value', `"secret-env" is only for a webhook: ${to} takes no signature`, {
        at: locateKey(origins, entry, 'secret-env'),
      });
    if (secretEnv !== undefined && isTokenVariable(secretEnv)) {
      problems.error(
        'bad-value',
        `"secret-env" cannot be ${quote(secretEnv)}: it contains the token of a service`,
        {
          at: locateValue(origins, entry, 'secret-env'),
          hint: 'set another variable to a new key, and name that variable',
        },
      );
      continue;
    }
    const receiver = { to, urlEnv, ...(secretEnv !== undefined && { secretEnv }), on };
    const location = locateValue(origins, written, index);
    const same = receivers.find((other) => isSentTwice(other.receiver, receiver));
    if (same) {
      const what = `the receiver ${to} of ${quote(urlEnv)}`;
      problems.add(...declaredTwice(what, same.location, location));
    }
    receivers.push({ receiver, location });
  }
  return receivers.map(({ receiver }) => receiver);
}

/** Whether one message would be sent to both. Two keys sign for two readers. */
function isSentTwice(one: Receiver, other: Receiver): boolean {
  const isSame = one.to === other.to && one.urlEnv === other.urlEnv && one.secretEnv === other.secretEnv;
  return isSame && one.on.some((event) => other.on.includes(event));
}

function readService({ service = {} }: Settings, { folder, loading }: SettingsContext): ServiceSettings {
  const { address, dialect, rate, parallelism, timeout, without, data, seed } = service;
  if (address !== undefined && address !== embedded) checkAddress(address, service, loading);
  return {
    ...(address !== undefined && { address: address.replace(/(?<!\/)\/+$/, '') }),
    ...(dialect !== undefined && { dialect }),
    ...(rate !== undefined && { rate }),
    ...(parallelism !== undefined && { parallelism }),
    ...(timeout !== undefined && { timeout }),
    ...(without !== undefined && { without }),
    ...(data !== undefined && { data: resolve(folder, data) }),
    ...(seed !== undefined && { seed: resolve(folder, seed) }),
  };
}

/** An address that no command can use is an error of the file, even where another one overrides it. */
function checkAddress(address: string, service: object, { origins, problems }: Loading): void {
  try {
    parseAddress(address);
  } catch (error) {
    if (!(error instanceof AttuneError)) throw error;
    const { code, message, hint } = error;
    problems.error(code, message, { at: locateValue(origins, service, 'address'), hint });
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
  { folder, loading }: { readonly folder: string; readonly loading: Loading },
): Promise<void> {
  for (const key of ['data', 'seed'] as const) {
    const written = service?.[key];
    if (service === undefined || written === undefined) continue;
    const path = resolve(folder, written);
    if (await isFileInside(path, folder)) continue;
    loading.problems.error(
      'path-outside',
      `service.${key} ${quote(written)} is outside the folder of the root file`,
      { at: locateValue(loading.origins, service, key), hint: pathHints[key] },
    );
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
  checkSelectedTags(scope, loading);
  const ids = projects?.map(
    (project, index) =>
      references.resolve('projects', project, locateValue(loading.origins, projects, index)) ?? project,
  );
  return {
    ...(ids && { projects: ids }),
    ...(tags && { tags }),
    ...(names && { names }),
    ...(tagged && { tagged, taggedAt: locateKey(loading.origins, scope, 'tagged') }),
    adopt,
    enforce,
  };
}

function readPrune({ prune = {} }: Settings, { origins }: Loading): Prune {
  const teamAccess = prune['team-access'];
  return {
    workspaces: prune.workspaces ?? 'keep',
    teamAccess: teamAccess ?? false,
    ...(teamAccess !== undefined && {
      locations: { teamAccess: locateValue(origins, prune, 'team-access') },
    }),
  };
}

function readLimits({ limits }: Settings, { origins }: Loading): Limits {
  if (!limits) return defaultLimits;
  const given = limitKeys.flatMap(([key, name]) => {
    const value = limits[name];
    return value === undefined ? [] : [{ key, value, location: locateValue(origins, limits, name) }];
  });
  return {
    ...defaultLimits,
    ...Object.fromEntries(given.map(({ key, value }) => [key, value])),
    locations: Object.fromEntries(given.map(({ key, location }) => [key, location])),
  };
}

function checkPrune(file: Settings, { origins, problems }: Loading): void {
  const { prune } = file;
  if (!prune?.workspaces || prune.workspaces === 'keep' || Object.hasOwn(file, 'scope')) return;
  problems.error(
    'missing-key',
    `prune.workspaces: ${prune.workspaces} requires "scope": it defines which workspaces this configuration owns`,
    { at: locateValue(origins, prune, 'workspaces') },
  );
}
