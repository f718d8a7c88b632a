import { joinRoots } from '../desired/join-roots.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import type { Plan } from '../model/plan.ts';
import { embeddedData, isSameOrganization, type OrganizationIdentity } from '../service/address.ts';
import type { ServiceReader } from '../service/client.ts';
import type { SavedPlan } from './plan-file.ts';

interface SavedFor
  extends Pick<Plan, 'organization' | 'address' | 'dialect'>,
    Pick<OrganizationIdentity, 'data'> {
  readonly what: 'plan' | 'journal';
}

/** The configuration for the organization of a file that Attune wrote. */
export function settingsFor(saved: SavedFor, settings: readonly Configuration[]): Configuration {
  const named = namedAlike(saved, settings);
  const same = named.filter((one) => isSameOrganization(one, saved));
  // That of another service is refused when the service is known.
  const [own, ...others] = same.length > 0 ? same : named;
  if (own === undefined) throw otherOrganization(saved, settings);
  return joinRoots([own, ...others]);
}

/** The configuration of each saved plan. Several plans of one organization name their root files. */
export function configurationsOf(
  plans: readonly SavedPlan[],
  loaded: readonly Configuration[],
  cwd: string,
): readonly Configuration[] {
  return plans.map((plan) => {
    const saved: SavedFor = { what: 'plan', ...plan };
    const own = namedAlike(plan, loaded);
    if (own.length === 0) throw otherOrganization(saved, loaded);
    const { organization } = plan;
    const mates = plans.filter((other) => isSameOrganization(other, { organization }));
    const names = own.map(({ file }) => relativePath(cwd, file));
    const found = mates.length === 1 ? own[0] : own[names.indexOf(plan.root ?? '')];
    if (found && mates.length === own.length) return found;
    const wanted = mates.map(({ root = `one of ${organization}` }) => root).join(', ');
    throw refused(
      saved,
      `for root files ${wanted}, but the command line has ${names.join(', ')}`,
      'name the same root files as for `attune plan`',
    );
  });
}

function namedAlike(
  { organization }: Pick<Plan, 'organization'>,
  all: readonly Configuration[],
): readonly Configuration[] {
  return all.filter((one) => isSameOrganization(one, { organization }));
}

function otherOrganization(saved: SavedFor, loaded: readonly Configuration[]): AttuneError {
  const organizations = [...new Set(loaded.map(({ desired }) => desired.organization))].join(', ');
  return refused(saved, `for organization ${saved.organization}, but the files are for ${organizations}`);
}

/** Checks that a run uses the service of a file. What that service lacked counts as missing again: what the run reads may not show it. */
export function requireSameService(
  saved: SavedFor & Pick<Plan, 'without'>,
  configuration: Configuration,
  { address, client }: { readonly address: string; readonly client: Pick<ServiceReader, 'capabilities'> },
): void {
  const { organization, without = [] } = saved;
  const { service, folder } = configuration;
  if (!isSameOrganization(saved, { organization, address }))
    throw refused(saved, `for ${saved.address}, but this run uses ${address}`);
  const data = embeddedData(configuration);
  if (saved.data !== undefined && !isSameOrganization(saved, { organization, data })) {
    const [wanted, used] = [saved.data, data].map((path) => relativePath(folder, path));
    const hint = 'name the root file with the service.data of the journal; no changes were made';
    throw refused(saved, `for service.data ${wanted}, but this run uses ${used}`, hint);
  }
  // An undo uses the dialect that the service shows.
  if (saved.what === 'plan' && service.dialect && service.dialect !== saved.dialect) {
    throw refused(saved, `in the ${saved.dialect} dialect, but the files declare ${service.dialect}`);
  }
  for (const feature of without) client.capabilities.recordMissing(feature);
}

function refused({ what }: SavedFor, how: string, different?: string): AttuneError {
  const hint = different ?? `use the organization, address and dialect of the ${what}; no changes were made`;
  return new AttuneError(`the ${what} is ${how}`, { code: 'other-plan', hint });
}
