import { join } from 'node:path';
import { effectiveFields } from '../desired/explain.ts';
import { loadConfig } from '../desired/load-config.ts';
import type { Seed } from '../emulator/index.ts';
import { serviceSource } from '../live/read-live.ts';
import type { AttributeValues } from '../model/attribute-values.ts';
import { aliasOf, type Configuration } from '../model/configuration.ts';
import {
  AttuneError,
  type Diagnostic,
  hasErrors,
  type SourceLocation,
  usageError,
} from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import type { Plan } from '../model/plan.ts';
import { matchesSelector, type Texts } from '../model/selector.ts';
import { resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { placedDiagnostics, renderDiagnostics } from '../report/text/diagnostics-text.ts';
import { makePlan } from '../run/make-plan.ts';
import { createServiceClient } from '../service/client.ts';

/** A declared workspace with its effective values: what defaults, templates and the workspace itself declare together. */
export interface TestedWorkspace {
  readonly name: string;
  /** The alias of the project, else its id. Undefined if it is unmanaged. */
  readonly project: string | undefined;
  /** The tags that are declared. */
  readonly tags: readonly string[];
  readonly protect: boolean;
  /** The managed attributes. An unmanaged one is undefined: the live value can be any. */
  readonly attributes: AttributeValues;
  /** Where it is declared: `workspaces/prod.yaml:3:3`. */
  readonly location: string;
  /** Where each managed value is declared, by its path, such as `auto-apply`. */
  readonly origins: Readonly<Record<string, string>>;
}

/** A valid configuration, for unit tests. */
export interface TestedConfiguration {
  /** Warnings and notes. */
  readonly diagnostics: readonly Diagnostic[];
  /** One for each root file. */
  readonly configurations: readonly Configuration[];
  /**
   * The declared workspaces that have any of the names, with `*`, any of the projects, and all of the tags. Tombstones are left out.
   *
   * @throws {@link AttuneError} `no-match` if there is none: the test would pass without a check.
   * @example
   * ```ts
   * const { workspaces } = await testConfiguration('attune.yaml');
   * console.log(workspaces({ tag: 'prod' }).length); // 1
   * ```
   */
  workspaces(selector?: { name?: Texts; tag?: Texts; project?: Texts }): readonly TestedWorkspace[];
  /**
   * The plan of one root file against a seed of the embedded service: a file, or plain data. The default is `service.seed`.
   *
   * @throws {@link DiagnosticsError} if the live state shows mistakes in the files.
   * @example
   * ```ts
   * const { plan } = await testConfiguration('attune.yaml');
   * const projects = { Platform: 'prj-platform', Payments: 'prj-payments' };
   * console.log((await plan({ projects, teams: { developers: 'team-developers' } })).summary.create); // 3
   * ```
   */
  plan(live?: string | Readonly<Record<string, unknown>>): Promise<Plan>;
}

/**
 * Loads root files, folders, or a program of `attune/constructs` for unit tests. Relative paths begin at `cwd`. Plans of root files are checked
 * with the files in `policies`, as with `--policy`.
 *
 * @throws {@link AttuneError} `invalid`, with all errors and their locations in the message.
 * @example
 * ```ts
 * const configuration = await testConfiguration('attune.yaml');
 * for (const workspace of configuration.workspaces({ tag: 'prod' })) {
 *   console.log(workspace.name, workspace.project); // network-prod platform
 * }
 * ```
 */
export async function testConfiguration(
  source: string | readonly string[] | { synth(): Promise<readonly Configuration[]> },
  options: { readonly cwd?: string; readonly policies?: readonly string[] } = {},
): Promise<TestedConfiguration> {
  const { cwd = process.cwd(), policies: policyFiles = [] } = options;
  const configurations =
    typeof source === 'object' && 'synth' in source
      ? await source.synth()
      : await loadValid(source, cwd, policyFiles);
  const declared = configurations.flatMap((configuration) =>
    resourcesOf(configuration.desired.resources.values(), 'workspace')
      .filter((resource) => !resource.declared?.absent)
      .map((resource) => testedWorkspace(resource, configuration)),
  );
  return {
    configurations,
    diagnostics: configurations.flatMap(({ diagnostics }) => diagnostics),
    workspaces: (selector = {}) => {
      const found = declared.filter(({ name, tags, project = null }) =>
        matchesSelector(selector, { name, attributes: { tags, project } }, 'iac'),
      );
      if (found.length > 0) return found;
      const message = `no declared workspace matches ${JSON.stringify(selector)}`;
      throw new AttuneError(message, { code: 'no-match', hint: 'correct the selector, or remove the test' });
    },
    plan: (live) => planOf(configurations, live),
  };
}

async function loadValid(source: string | readonly string[], cwd: string, policyFiles: readonly string[]) {
  const { configurations, roots, diagnostics, policies } = await loadConfig(source, { cwd, policyFiles });
  if (!hasErrors(diagnostics)) return configurations;
  const entries = [...roots, ...(policies ? [policies] : [])].map(({ folder, diagnostics: found }) => ({
    diagnostics: found,
    path: (file: string) => relativePath(cwd, join(folder, file)),
  }));
  const text = renderDiagnostics(placedDiagnostics(entries));
  throw new AttuneError(`the configuration has errors\n\n${text}`, { code: 'invalid' });
}

function testedWorkspace(resource: WorkspaceResource, configuration: Configuration): TestedWorkspace {
  const { name, address, attributes, declared, location: at } = resource;
  const { project, tags = [] } = attributes;
  const rule: { exactly?: readonly string[]; add?: readonly string[] } =
    'length' in tags ? { add: tags } : tags;
  const text = (place: SourceLocation) => `${place.file}:${place.line}:${place.column}`;
  const fields = effectiveFields(configuration, address).filter(({ removedBy }) => !removedBy);
  return {
    name,
    project: project === undefined ? undefined : aliasOf(configuration.aliases, 'projects', project),
    tags: rule.exactly ?? rule.add ?? [],
    protect: declared?.protect === true,
    attributes,
    location: at ? text(at) : configuration.file,
    origins: Object.fromEntries(fields.map(({ path, origin }) => [path, text(origin.location)])),
  };
}

async function planOf(configurations: readonly Configuration[], live: unknown): Promise<Plan> {
  const [configuration, ...others] = configurations;
  if (configuration === undefined || others.length > 0)
    throw usageError(`plan requires one root file, not ${configurations.length}`, 'load them one by one');
  const { startEmulator } = await import('../emulator/index.ts');
  const { dialect, seed = {} } = configuration.service;
  const state = { organization: configuration.desired.organization, seed: (live ?? seed) as string | Seed };
  const emulator = await startEmulator({ ...state, ...(dialect && { dialect }) });
  const client = createServiceClient({ address: new URL(emulator.url) });
  try {
    return await makePlan(configuration, { source: serviceSource(client), address: 'embedded' });
  } finally {
    await client.close();
    await emulator.stop();
  }
}
