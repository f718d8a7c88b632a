import { join } from 'node:path';
import type { Configuration } from '../desired/configuration.ts';
import { loadConfig } from '../desired/load-config.ts';
import { loadPolicyFiles, withPolicyFiles } from '../desired/policies.ts';
import type { Seed } from '../emulator/index.ts';
import { serviceSource } from '../live/live-source.ts';
import { AttuneError, usageError } from '../model/attune-error.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import type { Plan } from '../model/plan.ts';
import { matchesSelector, type Texts } from '../model/selector.ts';
import { type ResourceKind, type ResourceOf, resourcesOf } from '../model/state.ts';
import { nearest } from '../model/text.ts';
import { withEndedAccess } from '../plan/holds/access-ends.ts';
import { makePlan } from '../plan/make-plan.ts';
import { renderDiagnostics } from '../report/text/diagnostics-text.ts';
import { createServiceClient } from '../service/client.ts';
import { type TestedGrant, type TestedWorkspace, testedGrant, testedWorkspace } from './tested-resource.ts';

/** A program of `attune/constructs`: its `App`. */
export interface Synthesizable {
  /**
   * The configurations of its organizations.
   *
   * @example
   * ```ts
   * const program = { synth: async () => (await loadConfig('attune.yaml')).configurations };
   * console.log((await testConfiguration(program)).workspaces().length); // 2
   * ```
   */
  synth(): Promise<readonly Configuration[]>;
}

/** Selects workspaces: all keys must match. */
export interface WorkspaceSelector {
  /** Names, with `*` for any run of characters: any of them. */
  readonly name?: Texts;
  /** Declared tags: all of them. */
  readonly tag?: Texts;
  /** Aliases or ids of projects: any of them. */
  readonly project?: Texts;
}

/** Selects grants: all keys must match. */
export interface GrantSelector {
  /** Aliases or ids of projects: any of them. */
  readonly project?: Texts;
  /** Aliases or ids of teams: any of them. */
  readonly team?: Texts;
}

/** How the files of a test are found. */
export interface TestConfigurationOptions {
  /** The folder of relative paths. @default process.cwd() */
  readonly cwd?: string;
  /** Files with policies, as `--policy` takes them: plans are checked with them, too. @default [] */
  readonly policies?: readonly string[];
}

/** What a plan of a test is made against. */
export interface TestPlanOptions {
  /** The live state: a seed file of the embedded service, or the same as plain data, which is checked. @default `service.seed`, else empty */
  readonly live?: string | Readonly<Record<string, unknown>>;
  /** The organization, if the configuration declares several. */
  readonly organization?: string;
}

/** A valid configuration, for unit tests of its policies. */
export interface TestedConfiguration {
  /** Warnings and notes. */
  readonly diagnostics: readonly Diagnostic[];
  /** What the library functions take: one for each root file. */
  readonly configurations: readonly Configuration[];
  /**
   * The declared workspaces, tombstones left out.
   *
   * @throws {@link AttuneError} `no-match` if a selector matches none: the test would pass without a check.
   * @example
   * ```ts
   * const configuration = await testConfiguration('attune.yaml');
   * const names = configuration.workspaces({ tag: 'prod' }).map(({ name }) => name);
   * console.log(names); // [ 'network-prod' ]
   * ```
   */
  workspaces(selector?: WorkspaceSelector): readonly TestedWorkspace[];
  /**
   * The workspace of a name.
   *
   * @throws {@link AttuneError} `no-match` if it is not declared.
   * @example
   * ```ts
   * const { workspace } = await testConfiguration('attune.yaml');
   * console.log(workspace('network-prod').attributes['auto-apply']); // undefined
   * ```
   */
  workspace(name: string): TestedWorkspace;
  /**
   * The declared grants, revoked and ended ones left out.
   *
   * @throws {@link AttuneError} `no-match` if a selector matches none: the test would pass without a check.
   * @example
   * ```ts
   * const { grants } = await testConfiguration('attune.yaml');
   * console.log(grants().map(({ team, access }) => `${team}: ${access}`)); // [ 'developers: write' ]
   * ```
   */
  grants(selector?: GrantSelector): readonly TestedGrant[];
  /**
   * The plan against a seed, made by an embedded service in this process: without a network, an account and a token.
   *
   * @throws {@link DiagnosticsError} if the live state shows mistakes in the files.
   * @example
   * ```ts
   * const configuration = await testConfiguration('attune.yaml');
   * const { summary } = await configuration.plan({
   *   live: {
   *     projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
   *     teams: { developers: 'team-developers' },
   *     workspaces: { 'network-prod': { project: 'Platform' } },
   *   },
   * });
   * console.log(summary.create, summary.update); // 2 1
   * ```
   */
  plan(options?: TestPlanOptions): Promise<Plan>;
}

/**
 * A configuration has errors. The message has all of them, with their locations.
 *
 * @example
 * ```ts
 * const error = await testConfiguration('elsewhere.yaml').catch((reason: unknown) => reason);
 * if (error instanceof InvalidConfigurationError) console.log(error.diagnostics[0]?.code); // file-not-found
 * ```
 */
export class InvalidConfigurationError extends AttuneError {
  override readonly name = 'InvalidConfigurationError';
  override readonly code = 'invalid';
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[], text: string) {
    super(`the configuration has errors\n\n${text}`);
    this.diagnostics = diagnostics;
  }
}

/**
 * Loads a configuration for unit tests: root files, folders, or a program of `attune/constructs`.
 *
 * @throws {@link InvalidConfigurationError} if it has errors, with all of them in the message. A program throws a
 * `SynthesisError` of `attune/constructs`.
 * @example
 * ```ts
 * const configuration = await testConfiguration('attune.yaml');
 * for (const workspace of configuration.workspaces({ tag: 'prod' })) {
 *   console.log(workspace.name, workspace.project); // network-prod platform
 * }
 * ```
 */
export async function testConfiguration(
  source: string | readonly string[] | Synthesizable,
  { cwd = process.cwd(), policies = [] }: TestConfigurationOptions = {},
): Promise<TestedConfiguration> {
  const configurations =
    typeof source === 'object' && 'synth' in source
      ? await withPolicies(await source.synth(), policies, cwd)
      : await loaded(source, { cwd, policyFiles: policies });
  const workspaces = testedOf(configurations, 'workspace', testedWorkspace);
  const now = Date.now();
  const present = configurations.map((configuration) => withEndedAccess(configuration, now));
  const grants = testedOf(present, 'team-access', testedGrant);
  return {
    configurations,
    diagnostics: configurations.flatMap(({ diagnostics }) => diagnostics),
    workspaces: (selector) =>
      selector === undefined ? workspaces : selectedWorkspaces(workspaces, selector),
    workspace: (name) => workspaceCalled(name, workspaces),
    grants: (selector) => {
      if (selector === undefined) return grants;
      const found = grants.filter(
        (one) => isAnyOf(selector.project, one.project) && isAnyOf(selector.team, one.team),
      );
      return required(found, 'grant', selector);
    },
    plan: async (options = {}) => planOf(only(configurations, options.organization), options),
  };
}

/** The declared resources of a kind; those to delete are left out. */
function testedOf<Kind extends ResourceKind, Tested>(
  configurations: readonly Configuration[],
  kind: Kind,
  tested: (resource: ResourceOf<Kind>, configuration: Configuration) => Tested,
): readonly Tested[] {
  return configurations.flatMap((configuration) =>
    resourcesOf(configuration.desired.resources.values(), kind)
      .filter(({ declared }) => !declared?.absent)
      .map((resource) => tested(resource, configuration)),
  );
}

function selectedWorkspaces(
  workspaces: readonly TestedWorkspace[],
  selector: WorkspaceSelector,
): readonly TestedWorkspace[] {
  const { project, ...rest } = selector;
  const found = workspaces.filter(
    (one) =>
      isAnyOf(project, one.project) &&
      matchesSelector(rest, { name: one.name, attributes: { tags: one.tags } }, 'iac'),
  );
  return required(found, 'workspace', selector);
}

function workspaceCalled(name: string, workspaces: readonly TestedWorkspace[]): TestedWorkspace {
  const found = workspaces.find((one) => one.name === name);
  if (found) return found;
  const near = nearest(
    name,
    workspaces.map((one) => one.name),
  );
  throw new AttuneError(`workspace.${name} is not declared`, {
    code: 'no-match',
    ...(near !== undefined && { hint: `did you mean "${near}"?` }),
  });
}

async function loaded(
  source: string | readonly string[],
  { cwd, policyFiles }: { readonly cwd: string; readonly policyFiles: readonly string[] },
): Promise<readonly Configuration[]> {
  const { configurations, roots, diagnostics, policies } = await loadConfig(source, { cwd, policyFiles });
  if (!hasErrors(diagnostics)) return configurations;
  const texts = [...roots, ...(policies ? [policies] : [])].map(({ folder, diagnostics: found }) =>
    renderDiagnostics(found, { path: (file) => relativePath(cwd, join(folder, file)) }),
  );
  throw new InvalidConfigurationError(diagnostics, texts.join(''));
}

async function withPolicies(
  configurations: readonly Configuration[],
  files: readonly string[],
  cwd: string,
): Promise<readonly Configuration[]> {
  const given = await loadPolicyFiles(files, cwd);
  if (given === undefined) return configurations;
  if (hasErrors(given.diagnostics))
    throw new InvalidConfigurationError(given.diagnostics, renderDiagnostics(given.diagnostics));
  return configurations.map((configuration) => ({
    ...configuration,
    policies: withPolicyFiles(configuration.policies ?? [], given, configuration.folder),
  }));
}

function isAnyOf(wanted: Texts | undefined, value: string | undefined): boolean {
  return wanted === undefined || (value !== undefined && [wanted].flat().includes(value));
}

function required<Item>(found: readonly Item[], what: string, selector: object): readonly Item[] {
  if (found.length > 0) return found;
  throw new AttuneError(`no declared ${what} matches ${JSON.stringify(selector)}`, {
    code: 'no-match',
    hint: 'correct the selector, or remove the test',
  });
}

function only(configurations: readonly Configuration[], organization: string | undefined): Configuration {
  const found = configurations.filter(
    ({ desired }) => organization === undefined || desired.organization === organization,
  );
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  throw usageError(
    `plan needs one root file: ${found.length} are loaded`,
    'name the organization, or load one root file',
  );
}

async function planOf(configuration: Configuration, { live }: TestPlanOptions): Promise<Plan> {
  const { startEmulator } = await import('../emulator/index.ts');
  const { service, desired } = configuration;
  const seed = live ?? service.seed;
  const emulator = await startEmulator({
    organization: desired.organization,
    ...(service.dialect && { dialect: service.dialect }),
    ...(seed !== undefined && { seed: seed as string | Seed }),
  });
  const client = createServiceClient({ address: new URL(emulator.url) });
  try {
    return await makePlan(configuration, { source: serviceSource(client), address: 'embedded' });
  } finally {
    await client.close();
    await emulator.stop();
  }
}
