import { resolve } from 'node:path';
import type { Configuration, Limits, Prune, Scope, ServiceSettings } from './configuration.ts';
import type { Loading } from './loading.ts';
import { locateValue } from './origins.ts';
import type { RawFile } from './raw-file.ts';
import type { References } from './references.ts';

export interface SettingsContext {
  readonly folder: string;
  readonly loading: Loading;
  readonly references: References;
}

/** The root file's sections that say how to plan rather than what shall be. */
export function readSettings(
  file: RawFile,
  context: SettingsContext,
): Pick<Configuration, 'service' | 'scope' | 'prune' | 'limits'> {
  const scope = readScope(file, context);
  judgePrune(file, context.loading);
  return {
    service: readService(file, context.folder),
    ...(scope && { scope }),
    prune: readPrune(file),
    limits: readLimits(file),
  };
}

function readService({ service = {} }: RawFile, folder: string): ServiceSettings {
  const { address, dialect, rate, parallelism, timeout, data, seed } = service;
  return {
    ...(address !== undefined && { address: address.replace(/\/+$/, '') }),
    ...(dialect !== undefined && { dialect }),
    ...(rate !== undefined && { rate }),
    ...(parallelism !== undefined && { parallelism }),
    ...(timeout !== undefined && { timeout }),
    ...(data !== undefined && { data: resolve(folder, data) }),
    ...(seed !== undefined && { seed: resolve(folder, seed) }),
  };
}

function readScope({ scope }: RawFile, { loading, references }: SettingsContext): Scope | undefined {
  if (!scope) return undefined;
  const { projects, tags, names } = scope;
  const ids = projects?.map(
    (project, index) =>
      references.resolve('projects', project, locateValue(loading.origins, projects, index)) ?? project,
  );
  return { ...(ids && { projects: ids }), ...(tags && { tags }), ...(names && { names }) };
}

function readPrune({ prune = {} }: RawFile): Prune {
  return { workspaces: prune.workspaces ?? 'keep', teamAccess: prune['team-access'] ?? false };
}

function readLimits({ limits = {} }: RawFile): Limits {
  const { deletes, 'delete-percent': deletePercent = 30 } = limits;
  return { ...(deletes !== undefined && { deletes }), deletePercent };
}

function judgePrune(file: RawFile, { origins, problems }: Loading): void {
  const { prune } = file;
  if (!prune?.workspaces || prune.workspaces === 'keep' || Object.hasOwn(file, 'scope')) return;
  problems.add({
    code: 'prune-without-scope',
    message: `prune.workspaces: ${prune.workspaces} needs a "scope": without one nothing says which workspaces are yours`,
    hint: 'add scope with projects, tags or names',
    location: locateValue(origins, prune, 'workspaces'),
  });
}
