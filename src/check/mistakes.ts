/*
 * A mistake is an error in the files that only the live state shows: no plan can be made. Other errors are found in a plan
 * (check-plan.ts), which is printed with them.
 */

import { isTagged } from '../desired/tag-bindings.ts';
import { located } from '../diff/comparison.ts';
import { type Difference, deduplicate } from '../diff/diff.ts';
import { causeAmong, type Kept } from '../hold/keep-live.ts';
import type { Live } from '../live/read-live.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import { attributePaths, isLost, isUnder, projectExecutionPaths } from '../model/attributes.ts';
import { type Change, deletionSource, modeHints, withoutSafeDelete } from '../model/change.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { type Diagnostic, DiagnosticsError, hasErrors, problem, type Subject } from '../model/diagnostic.ts';
import { type Dialect, dialectProblem, type Feature, features } from '../model/dialect.ts';
import {
  consumersIn,
  type Resource,
  type ResourceKind,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { type Endpoint, endpoints } from '../service/endpoints.ts';
import type { Pass } from './check.ts';
import { renamesIn } from './look-alikes.ts';

/** Codes of errors that leave the plan complete: it is printed with them, and not applied. */
const shownWithPlan: ReadonlySet<string> = new Set(['differs-in-case']);

interface Compared extends Pick<Pass, 'configuration' | 'live' | 'difference' | 'chosen'> {
  readonly beside?: { readonly found: Difference; readonly kept: Kept };
}

export function refuseMistakes({ configuration, live, difference, chosen, beside }: Compared): void {
  const { changes } = difference;
  const missing = missingFeatures(configuration, live, { chosen, changes });
  const diagnostics = beside ? difference.diagnostics.map(namingHold(beside)) : difference.diagnostics;
  if (![...diagnostics, ...missing].some(isMistake)) return;
  // A deletion that the service would refuse is often half of a rename.
  const renames = renamesIn({ configuration, live, difference });
  throw new DiagnosticsError([
    ...configuration.diagnostics,
    ...live.diagnostics,
    ...diagnostics,
    ...missing,
    ...renames,
  ]);
}

function isMistake(one: Diagnostic): boolean {
  return hasErrors([one]) && !shownWithPlan.has(one.code);
}

function namingHold({ found, kept }: NonNullable<Compared['beside']>): (one: Diagnostic) => Diagnostic {
  const isFound = ({ code, address }: Diagnostic) =>
    found.diagnostics.some((one) => one.code === code && one.address === address);
  return (one) => {
    if (!isMistake(one) || isFound(one) || one.code === 'needs-left-out') return one;
    const cause = causeAmong(kept.held, new Set([one.address ?? '']));
    if (cause) {
      const { address, hold } = cause;
      return {
        ...one,
        message: `${one.message}, because ${address} is held until ${hold.until} (${hold.reason})`,
      };
    }
    const why = '--only-changed leaves out what the base declares as well';
    return { ...one, message: `${one.message}, because ${why}`, hint: 'plan without --only-changed' };
  };
}

/**
 * Declarations that need a feature that the service lacks, each with its location. They are errors before any write,
 * because the plan could not be applied.
 */
function missingFeatures(
  configuration: Configuration,
  live: Pick<Live, 'missing' | 'dialect' | 'state'>,
  { chosen, changes }: { readonly chosen: (address: string) => boolean; readonly changes: readonly Change[] },
): Diagnostic[] {
  // The neutral interface has no key/value tags, so a read does not ask for them.
  const missing = [...new Set(live.missing.concat(live.dialect === 'iac' ? tagBindings : []))];
  const { desired } = configuration;
  const resources = [...desired.resources.values()].filter(
    ({ address, declared }) => chosen(address) && !declared?.absent,
  );
  const lacked = lackedAttributes([...resourcesOf(resources, 'workspace')], live);
  const declared = resources.flatMap((resource) =>
    missing.flatMap((feature) => {
      const path = pathOfFeature(resource, feature);
      const { dialect } = live;
      return path === undefined ? [] : [notOffered(resource, feature, { path, configuration, dialect })];
    }),
  );
  const found = [
    lacked,
    declared,
    missing.includes('tag-bindings') ? lackedSelectors(configuration, resources, live.dialect) : [],
    missing.includes('safe-delete')
      ? changes.flatMap((change) => safeDeletion(change, desired.resources.has(change.address)))
      : [],
  ].flat();
  return deduplicate(found);
}

/** The attribute of a declaration that needs a feature; `''` is the resource itself. */
function pathOfFeature({ kind, attributes }: Resource, feature: Feature): string | undefined {
  const has = (path: string) => attributes[path] !== undefined && attributes[path] !== null;
  switch (kind) {
    case 'team-access':
      return feature === 'team-access' ? '' : undefined;
    case 'project':
      if (feature === 'projects') return 'manage';
      if (feature === 'setting-overwrites')
        return projectExecutionPaths.find((path) => attributes[path] !== undefined);
      return feature === 'tag-bindings' && attributes[feature] !== undefined ? feature : undefined;
    case 'workspace':
      if (feature === 'projects') return has('project') ? 'project' : undefined;
      return Object.keys(attributes).find((path) => has(path) && isUnder(path, feature));
  }
}

const partialPaths = attributePaths.filter((path) => workspaceAttributes[path].only !== undefined);

function lackedAttributes(
  workspaces: readonly WorkspaceResource[],
  { dialect, state }: Pick<Live, 'dialect' | 'state'>,
): Diagnostic[] {
  return partialPaths.flatMap((path) => {
    const declaring = workspaces.filter(({ attributes }) => attributes[path] !== undefined);
    const live = [...resourcesOf(state.resources.values(), 'workspace')];
    const isMissing = live.length > 0 && live.every(({ attributes }) => attributes[path] === undefined);
    return declaring.flatMap((workspace) => {
      const at = located(workspace, path);
      const { only } = workspaceAttributes[path];
      const isLacking = isMissing && isLost(path, workspace.attributes[path]);
      return dialectProblem(path, { only, dialect }, at) ?? (isLacking ? notReturned(path, at) : []);
    });
  });
}

function notReturned(path: string, at: ReturnType<typeof located>): Diagnostic {
  return problem(
    'not-offered',
    `${at.address} declares ${path}, but this service does not offer it: no answer of the service has it`,
    { at },
  );
}

const tagBindings: readonly Feature[] = ['tag-bindings'];

const optionalEndpoints: { readonly [Name in Feature]?: { readonly [Kind in ResourceKind]?: Endpoint } } = {
  projects: { project: 'createProject' },
  'tag-bindings': { workspace: 'upsertBindings', project: 'upsertProjectBindings' },
};

type Lacking = Pick<Pass, 'configuration'> & { readonly dialect: Dialect };

function notOffered(
  resource: Resource,
  feature: Feature,
  { path, ...lacking }: Lacking & { readonly path: string },
): Diagnostic {
  const what = path === '' ? 'team access' : path;
  const endpoint = optionalEndpoints[feature]?.[resource.kind];
  const named = endpoint && endpointText(endpoint, lacking.configuration.desired.organization);
  const { why, before } = lackOf(feature, lacking, named);
  const hint = `${before}${path === '' ? 'remove it from team-access' : `remove ${path}`}`;
  const message = `${resource.address} declares ${what}, but ${why}`;
  return problem('not-offered', message, { at: located(resource, path), hint });
}

/**
 * Why a feature is missing, and what to try before its declaration is removed. The service can have a feature that `service.without`
 * names, or that only the other dialect has: the embedded service uses the declared one, and an empty one shows none.
 */
function lackOf(feature: Feature, { configuration, dialect }: Lacking, endpoint?: string) {
  const name = features[feature];
  if (rootsOf(configuration).some(({ service }) => service.without?.includes(feature)))
    return {
      why: `service.without leaves out ${name}`,
      before: `remove ${feature} from service.without, else `,
    };
  const isOfOther = dialect === 'iac' && tagBindings.includes(feature);
  return {
    why: `this service does not offer ${name}${endpoint ? `: ${endpoint}` : ''}`,
    before: isOfOther ? 'set service.dialect to `terraform` if the service supports it, else ' : '',
  };
}

function endpointText(endpoint: Endpoint, organization: string): string {
  const [method, path] = endpoints[endpoint];
  return `${method} ${path.replace(':organization', organization)}`;
}

/** Without key/value tags a selector by them would match nothing, and would remove what it matched before. */
function lackedSelectors(
  configuration: Configuration,
  resources: readonly Resource[],
  dialect: Dialect,
): Diagnostic[] {
  const { desired, roots = [configuration] } = configuration;
  const list = `GET /organizations/${desired.organization}/workspaces?include=effective_tag_bindings`;
  const { why, before } = lackOf('tag-bindings', { configuration, dialect }, list);
  const hint = `${before}select by tag, project or name`;
  const selectors = roots.flatMap((root, index) => {
    // Each root file has the guards of all.
    const guards = index === 0 ? root.guards : { protect: [] };
    const found = taggedSelectors({ ...root, guards }, []);
    return found.map(([what, at]) => [what, { root: configuration.roots && root.file, ...at }] as const);
  });
  return [
    ...selectors,
    ...taggedSelectors({ guards: { protect: [] } }, resourcesOf(resources, 'workspace')),
  ].map(([what, at]) => problem('not-offered', `${what} selects by tagged, but ${why}`, { at, hint }));
}

/** What selects workspaces by key/value tags, with its place. */
function taggedSelectors(
  { scope, guards, holds }: Pick<Configuration, 'scope' | 'guards' | 'holds'>,
  workspaces: Iterable<WorkspaceResource>,
): (readonly [what: string, at: Subject])[] {
  const path = 'remote-state-consumers';
  const protections = guards.protect.filter(({ selector }) => selector.tagged);
  const windows = holds?.freeze.filter(({ select }) => select?.tagged) ?? [];
  const scopes = scope?.tagged ? [['the scope', { location: scope.taggedAt }] as const] : [];
  return [
    ...scopes,
    ...protections.map(({ location }) => ['an entry of guards.protect', { location }] as const),
    ...windows.map(({ location }) => ['a freeze window', { location }] as const),
    ...[...workspaces].flatMap(({ address, attributes, declared, location }) => {
      if (!consumersIn(attributes[path]).some(isTagged)) return [];
      const at = { address, location: declared?.locations?.[path] ?? location };
      return [[`${path} of ${address}`, at] as const];
    }),
  ];
}

function safeDeletion(change: Change, isDeclared: boolean): Diagnostic | [] {
  if (change.kind !== 'workspace' || change.action !== 'delete' || change.deleteMode === 'force') return [];
  const { address, location } = change;
  return problem(
    'not-offered',
    `${address} cannot be deleted safely: this service does not offer safe delete`,
    {
      at: { address, location },
      hint: withoutSafeDelete(modeHints[deletionSource(isDeclared, location)].force),
    },
  );
}
