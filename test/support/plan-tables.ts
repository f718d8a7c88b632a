import { mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { parse, stringify } from 'yaml';
import type { PlannedState } from '../../src/check/policy-data.ts';
import { readPolicyNames } from '../../src/check/policy-identity.ts';
import { risksOf } from '../../src/check/risks.ts';
import { joinRoots } from '../../src/desired/join-roots.ts';
import { loadConfig } from '../../src/desired/load-config.ts';
import { diff } from '../../src/diff/diff.ts';
import { atTime, tooLongExceptions } from '../../src/hold/at-time.ts';
import type { AccessFacts } from '../../src/live/access-facts.ts';
import type { LiveQuery } from '../../src/live/live-query.ts';
import type { Live, LiveSource } from '../../src/live/read-live.ts';
import { type ListedObject, NoLookUpError } from '../../src/live/read-names.ts';
import type { AliasKind } from '../../src/model/alias-kind.ts';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import { nestedAttributes } from '../../src/model/attributes.ts';
import type { FieldChange } from '../../src/model/change.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { addressPatterns } from '../../src/model/declared-selector.ts';
import { AttuneError, type Diagnostic, DiagnosticsError } from '../../src/model/diagnostic.ts';
import { type Dialect, dialects } from '../../src/model/dialect.ts';
import {
  type AccessLevel,
  impliedPermissions,
  isFixedLevel,
  permissionPaths,
  permissions,
} from '../../src/model/permissions.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { pathsOf } from '../../src/model/rows.ts';
import {
  grantAddress,
  namesOfGrant,
  type ProjectResource,
  projectAddress,
  type Resource,
  type ResourceKind,
  resourcesOf,
  workspaceAddress,
} from '../../src/model/state.ts';
import { signedEntries } from '../../src/model/text.ts';
import { isRecord, type Value } from '../../src/model/value.ts';
import type { DividedPlan } from '../../src/plan/divide.ts';
import { snapshotQueryOf } from '../../src/resolve/live-query-of.ts';
import { resolveNames } from '../../src/resolve/look-up-names.ts';
import { selectMatching } from '../../src/resolve/plan-request.ts';
import {
  type MakePlanOptions,
  makePlan,
  type PlanResolvedOptions,
  planResolved,
} from '../../src/run/make-plan.ts';
import { changeText } from '../../src/saved/still-holds.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { callMisfits } from './call-misfits.ts';

/** One row of a table: the declaration, the live state, and the plan as text. */
export interface PlanCase {
  readonly name: string;
  readonly desired: string;
  /** The root file of the base; without one, there is no base. One with errors is not loaded. */
  readonly base: string;
  readonly live: string;
  /**
   * As YAML: `only`, the limits such as `max-deletes`, `drift` for a drift report, `review` for a plan that is saved, `undo` for an undo,
   * `now`, `due` and `override-freeze` for what dates decide,
   * `only-changed` to leave out what the base declares alike,
   * under `show` what else of the plan is printed, `brief` for plans without calls and implied permissions, and `diagnostics-only`
   * for rows whose changes do not matter.
   */
  readonly options: string;
  /** The options of all rows of the table. */
  readonly shared: string;
  readonly plan: string;
}

/**
 * Reads a table. A row is a title line that starts with `=== `, followed by the sections `--- desired` (a root file without
 * `attune` and `organization`), `--- base` (another root file), `--- live` (YAML, see {@link liveState}), `--- options` and `--- plan`.
 * A section may follow its name: the plan if it is one line, YAML as a flow mapping without its braces. An empty section is left out.
 * Options before the first row are those of all rows.
 * Root files of one organization, and their bases, are separated by lines `---`.
 */
export function parseTable(text: string): PlanCase[] {
  const [head = '', ...rows] = text.split(/^=== /m);
  const shared = sectionOf(head.split(/^--- /m), 'options');
  return rows.map((row) => {
    const [title = '', ...sections] = row.split(/^--- /m);
    const yaml = (name: string) => sectionOf(sections, name);
    return {
      name: title.trim(),
      desired: yaml('desired'),
      base: yaml('base'),
      live: yaml('live'),
      options: yaml('options'),
      shared,
      plan: plainSection(sections, 'plan').trim(),
    };
  });
}

function plainSection(sections: readonly string[], name: string): string {
  return sections.find((part) => /^\w+/.exec(part)?.[0] === name)?.slice(name.length) ?? '';
}

function sectionOf(sections: readonly string[], name: string): string {
  const text = plainSection(sections, name);
  return text.startsWith(' ') ? `{${text.trim()}}` : text.slice(1);
}

/** The tables of a folder, by file name. */
export async function readTables(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.txt')).sort();
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const)),
  );
}

/** The table with the plans that its rows have now; rows keep their order and text. */
export async function updatedTable(text: string): Promise<string> {
  const rows = parseTable(text);
  const head = text.slice(0, text.indexOf('=== '));
  const written = await Promise.all(
    rows.map(async ({ name, desired, base, live, options, shared }) => {
      const plan = await planText({ desired, base, live, options, shared });
      const sections = Object.entries({ desired, base, live, options, plan })
        .map(([section, content]) => [section, content.trimEnd()] as const)
        .filter(([, content]) => content !== '');
      const shown = sections.map(([section, content]) => {
        const isLine = section === 'plan' ? !content.includes('\n') : /^\{.*\}$/s.test(content);
        const line = section === 'plan' ? content : content.slice(1, -1);
        return `--- ${section}${isLine ? ` ${line}` : `\n${content}`}\n`;
      });
      return `=== ${name}\n${shown.join('')}`;
    }),
  );
  return `${head}${written.join('\n')}`;
}

/** Loads, compares and plans a row, and prints its changes with their calls, its figures and its diagnostics. */
export async function planText({
  desired,
  base = '',
  live,
  options,
  shared = '',
}: Pick<PlanCase, 'desired' | 'live' | 'options'> &
  Partial<Pick<PlanCase, 'base' | 'shared'>>): Promise<string> {
  // Synchronous calls take a fraction of the time here: there are hundreds of rows.
  const folder = mkdtempSync(join(tmpdir(), 'attune-table-'));
  const texts = desired.split(/^---\n/m);
  const bases = base.split(/^---\n/m);
  try {
    const all = { ...planOptions(shared), ...planOptions(options) };
    const { show = [], brief = false, undo = false, diagnosticsOnly = false, onlyChanged, ...given } = all;
    const { configurations, diagnostics } = await loadIn(folder, texts);
    if (configurations.length < texts.length) return diagnostics.map(diagnosticText).join('\n');
    const roots: Configuration[] = [];
    for (const [index, loaded] of configurations.entries()) {
      const below = bases[index] && (await loadIn(folder, [bases[index]])).configurations[0];
      roots.push({
        ...loaded,
        ...(base !== '' && {
          base: { ref: 'base', ...(below && { declared: below }), ...(onlyChanged && { onlyChanged }) },
        }),
      });
    }
    const [root] = roots as [Configuration];
    const source = sourceOf(live);
    const made = { source, address: 'https://iac.example.com', ...given };
    const { configuration, plan, parts } =
      roots.length > 1
        ? await planOfRoots(roots, made)
        : { configuration: root, plan: await makePlan(undo ? asUndo(root) : root, made), parts: [] };
    expectNothingEmpty(plan);
    // Each call does what its change shows.
    expect(callMisfits(plan)).toEqual([]);
    if (root.base?.declared && roots.length === 1 && plan.changes.length > 0) {
      const { base: _base, ...loaded } = root;
      await expectSameAgain(loaded, plan, made);
    }
    if (diagnosticsOnly) return plan.diagnostics.map(diagnosticText).join('\n') || 'no diagnostics';
    const state = () => {
      const read = liveState(live);
      return { configuration, live: read, difference: diff(configuration, read), chosen: () => true };
    };
    const run: Run = { source, state, parts, now: given.now?.getTime() ?? 0 };
    const shownDetails = await Promise.all(show.map((detail) => details[detail](plan, run)));
    return [printedPlan(plan, { brief }), ...shownDetails.flat()].join('\n');
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    return error.diagnostics.map(diagnosticText).join('\n');
  } finally {
    for (const file of readdirSync(folder)) unlinkSync(join(folder, file));
    rmdirSync(folder);
  }
}

const fileOf = (index: number) => (index === 0 ? 'attune.yaml' : `${index + 1}.yaml`);

/** Root files without `attune` and `organization`. */
function loadIn(folder: string, texts: readonly string[]) {
  for (const [index, text] of texts.entries()) {
    const root = text.startsWith('{')
      ? `{attune: 1, organization: acme, ${text.slice(1)}`
      : `attune: 1\norganization: acme\n${text}`;
    writeFileSync(join(folder, fileOf(index)), root);
  }
  return loadConfig(
    texts.map((_, index) => fileOf(index)),
    { cwd: folder },
  );
}

/** Plans root files of one organization together, as a run does. */
async function planOfRoots(
  roots: readonly Configuration[],
  made: MakePlanOptions & Partial<PlanResolvedOptions>,
): Promise<DividedPlan & { readonly configuration: Configuration }> {
  const selection = selectMatching(roots.flatMap((root) => addressPatterns([...(made.only ?? [])], root)));
  const request = { now: new Date(), ...made, selection };
  const named = await Promise.all(roots.map((root) => resolveNames(atTime(root, request), request)));
  const configuration = joinRoots(named as [Configuration, ...Configuration[]]);
  return { configuration, ...(await planResolved(configuration, request)) };
}

/** The plan of a declaration and a live state, as rows have them, and the configuration that it was made from. */
export async function planOf(
  desired: string,
  live: string,
  options: Partial<PlanResolvedOptions & MakePlanOptions> = {},
): Promise<{ readonly configuration: Configuration; readonly plan: Plan }> {
  const folder = mkdtempSync(join(tmpdir(), 'attune-table-'));
  try {
    const [configuration] = (await loadIn(folder, [desired])).configurations;
    if (configuration === undefined) throw new Error(`the files have errors: ${desired}`);
    const request = { source: sourceOf(live), address: 'https://iac.example.com', ...options };
    return { configuration, plan: await makePlan(configuration, request) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a plan or a change does not have is missing, so that plans with and without rules are the same bytes. */
function expectNothingEmpty({ changes, without, undeclaredAccess, overview: { ids } }: Plan): void {
  const lists = [without, undeclaredAccess, ...changes.map(({ held }) => held)];
  const records = [ids && { ...ids.projects, ...ids.teams }, ...changes.map(({ origins }) => origins)];
  const empty = [...lists, ...records.map((record) => record && Object.keys(record))].filter(
    (list) => list?.length === 0,
  );
  expect(empty).toEqual([]);
}

/** A saved plan has what its base decided: without the base, its addresses are planned with the same changes. */
async function expectSameAgain(loaded: Configuration, saved: Plan, made: MakePlanOptions): Promise<void> {
  const only = saved.changes.map(({ address }) => address);
  const reviewed = saved.base?.onlyChanged ? { reviewed: saved } : {};
  const again = await makePlan(loaded, { ...made, ...reviewed, only, purpose: 'replan' });
  const texts = ({ changes }: Plan) => changes.map((change) => changeText(change));
  expect(texts(again)).toEqual(texts(saved));
}

export function printedPlan(plan: Plan, { brief = false } = {}): string {
  const changes = printedChanges(plan, brief);
  const { effects, unmanaged, noLongerDeclared = [], freezeOverridden, diagnostics, summary } = plan;
  const unchanged = summary.unchanged === 1 ? '' : `, ${summary.unchanged} unchanged`;
  return [
    ...(changes.length === 0 ? [`no changes${unchanged}`] : changes),
    ...effects.stateAccess.map(
      ({ workspace, gains, loses, unknown }) =>
        `state of ${workspace}: ${signedEntries(gains, loses).join(' ')}${unknown ? ', others are unknown' : ''}`,
    ),
    ...noLongerDeclared.map(({ address, field, location }) => {
      const place = location ? ` at ${location.line}:${location.column}` : '';
      return `no longer declared${place}: ${address}${field === undefined ? '' : ` ${field}`}`;
    }),
    ...(freezeOverridden === undefined ? [] : [`freeze windows are overridden: ${freezeOverridden}`]),
    ...(unmanaged.length > 0 ? [`unmanaged: ${unmanaged.join(', ')}`] : []),
    ...diagnostics.map(diagnosticText),
  ].join('\n');
}

/**
 * The fields of a change follow it on its line, if they fit, and in brief plans what holds it. A call that writes what the fields show,
 * and nothing else, is not printed.
 */
function printedChanges({ changes }: Plan, brief: boolean): string[] {
  const signs = { create: '+', update: '~', delete: '-' } as const;
  const because = (cause: string | undefined) => (cause === undefined ? '' : ` [${cause}]`);
  const withValues = ({ path, before, after }: FieldChange) => `${path}: ${shown(before)} -> ${shown(after)}`;
  return changes.flatMap((change) => {
    const { address, action, cause, fields, grants = [], calls, dependsOn, held = [], nextFreeze } = change;
    const after = dependsOn.length > 0 ? ` after ${dependsOn.join(', ')}` : '';
    const shownFields = fields.map(({ add, remove, cause: ofField, ...field }) => {
      const difference = add && remove ? ` (${signedEntries(add, remove).join(' ')})` : '';
      return `${withValues(field)}${difference}${because(ofField)}`;
    });
    const waits = [
      ...held.map(
        ({ by, reason, until, fields: paths }) =>
          `held by ${by}${until ? ` until ${until}` : ''}${paths ? ` [${paths.join(', ')}]` : ''}: ${reason}`,
      ),
      ...(nextFreeze
        ? [`frozen from ${nextFreeze.from} until ${nextFreeze.until}: ${nextFreeze.reason}`]
        : []),
    ];
    const line = `${signs[action]} ${address}${after}${because(cause)}`;
    if (brief) {
      const whole = [line, [...shownFields, ...waits].join('; ')].join(' ').trimEnd();
      return whole.length <= width
        ? [whole]
        : [...filled(line, shownFields), ...waits.map((wait) => `    ${wait}`)];
    }
    return [
      ...filled(line, shownFields),
      ...(grants.length === 0 ? [] : [`    implied ${grants.map(withValues).join(', ')}`]),
      ...(isPlain(change) ? [] : calls).map(
        ({ method, path, body }) =>
          `    ${method} ${path}${body === undefined ? '' : ` ${shown(bodyData(body))}`}`,
      ),
      ...waits.map((wait) => `    ${wait}`),
    ];
  });
}

/** Whether its only call creates or updates it with what its fields show, under the same names, or deletes it safely. */
function isPlain({ kind, action, id, name, fields, calls }: PlannedChange): boolean {
  const [call, ...more] = calls;
  if (call === undefined || more.length > 0) return false;
  const request = `${call.method} ${call.path}`;
  const type = kind === 'team-access' ? 'team-projects' : `${kind}s`;
  if (action === 'delete')
    return (
      request === (kind === 'workspace' ? `POST /${type}/${id}/actions/safe-delete` : `DELETE /${type}/${id}`)
    );
  if (request !== (action === 'create' ? `POST /organizations/acme/${type}` : `PATCH /${type}/${id}`))
    return false;
  const attributes: Record<string, Value> =
    kind === 'team-access'
      ? { access: 'custom' }
      : kind === 'workspace' && action === 'create'
        ? { name }
        : {};
  for (const { path, after } of fields) {
    const [outer = '', inner] = path.split('.');
    const within = attributes[outer];
    attributes[outer] = inner === undefined ? after : { ...(isRecord(within) && within), [inner]: after };
  }
  const body = { type, attributes, ...(kind === 'team-access' && { id }) };
  return isDeepStrictEqual(bodyData(call.body ?? null), body);
}

const width = 140;

/** The line and its parts, with a new line before a part that does not fit. */
function filled(line: string, parts: readonly string[]): readonly string[] {
  const lines = [];
  let current = line;
  for (const [index, part] of parts.entries()) {
    const longer = `${current}${index === 0 ? '' : ';'} ${part}`;
    if (longer.length > width) lines.push(current);
    current = longer.length > width ? `    ${part}` : longer;
  }
  return [...lines, current];
}

/** An undo declares what it reverts without lines, and unlocks what it deletes. */
function asUndo(configuration: Configuration): Configuration {
  const resources = [...configuration.desired.resources].map(([address, resource]): [string, Resource] => {
    const { location: _location, declared: { locations: _locations, ...rules } = {}, ...rest } = resource;
    const declared = { ...rules, ...(rules.absent && { unlocks: true as const }) };
    return [address, { ...rest, ...(Object.keys(declared).length > 0 && { declared }) } as Resource];
  });
  return {
    ...configuration,
    desired: { ...configuration.desired, resources: new Map(resources) },
    layered: new Map(),
  };
}

interface Run {
  readonly source: ReturnType<typeof sourceOf>;
  /** The part of each root file, if there are several. */
  readonly parts: readonly Plan[];
  readonly state: () => PlannedState;
  readonly now: number;
}

type Detail = (plan: Plan, run: Run) => readonly string[] | Promise<readonly string[]>;

/** Parts of a plan, and of what policies see of it, that only some rows print. */
const details = {
  at: ({ at = 'no time', due }: Plan) => [`at: ${at}${due ? ', due' : ''}`],
  'date-problems': (_: Plan, { state, now }: Run) =>
    tooLongExceptions(state().configuration, now).map((one) => `without live state: ${diagnosticText(one)}`),
  parts: (_: Plan, { parts }: Run) => parts.flatMap(printedPart),
  summary: ({ summary, without = [] }: Plan) => [
    `summary: ${shown({ ...summary })}${without.map((feature) => `, without ${feature}`).join('')}`,
  ],
  facts: ({ changes }: Plan) =>
    changes.map(
      ({ address, facts = {}, declared }) =>
        `facts of ${address}${declared === undefined ? ', which is undeclared' : ''}: ${shown(facts)}`,
    ),
  places: ({ changes }: Plan) =>
    changes.map(({ address, location, origins = {} }) => {
      const places = Object.entries({ ...(location && { declared: location }), ...origins });
      const shownPlaces = places.map(([path, { line, column }]) => `${path} ${line}:${column}`);
      return `places of ${address}: ${shownPlaces.join(', ') || 'none'}`;
    }),
  overview: ({ overview: { workspaces, grants, projects = [], scope } }: Plan) => [
    ...workspaces.map(
      ({ name, action, project, readers }) =>
        `overview of ${name} in ${project}: ${action}, readers ${shown(readers.before)} -> ${shown(readers.after)}`,
    ),
    ...grants.map(
      ({ project, team, before, after }) =>
        `overview of ${project}/${team}: ${grantText(before)} -> ${grantText(after)}`,
    ),
    `projects read: ${projects.join(', ')}; scope: ${scope}`,
  ],
  effects: ({ effects: { moves, inheritedTags = [], inherited = [] } }: Plan) => [
    ...moves.flatMap(({ workspace, from, to, teams, unknown }) => [
      `move of ${workspace} from ${from} to ${to}, unknown: ${unknown.join(', ') || 'none'}`,
      ...teams.map(
        ({ team, before, after, permissions }) =>
          `    team ${team}: ${before} -> ${after} (${permissions.map((field) => `${field.path}: ${field.before} -> ${field.after}`).join(', ')})`,
      ),
    ]),
    ...inheritedTags.map(
      ({ project, workspaces, gains, loses }) =>
        `inherited from ${project} by ${workspaces.join(', ')}: ${[...gains.map((tag) => `+${tag}`), ...loses.map((tag) => `-${tag}`)].join(' ')}`,
    ),
    ...inherited.map(
      ({ address, path, before, after, from }) =>
        `in effect in ${address}, ${path}: ${shown(before)} -> ${shown(after)} (${from})`,
    ),
  ],
  risks: (plan: Plan) =>
    risksOf(plan).map((risk) => {
      const step = 'path' in risk ? `, ${risk.path}: ${shown(risk.before)} -> ${shown(risk.after)}` : '';
      return `risk ${risk.kind}: ${risk.address}${step}`;
    }),
  'undeclared-access': ({ undeclaredAccess = [] }: Plan) =>
    undeclaredAccess.map(({ address, access, projectId, teamId, location, hint }) => {
      const place = location ? ` at ${location.line}:${location.column}` : '';
      return `undeclared${place}: ${address} (${access} of ${teamId} to ${projectId}): ${hint}`;
    }),
  query: (_: Plan, { source }: Run) => source.queries.slice(0, 1).map((query) => `reads ${queryText(query)}`),
  queries: (_: Plan, { source }: Run) => source.queries.map((query) => `reads ${queryText(query)}`),
  'snapshot-query': (_: Plan, { state }: Run) => {
    const { configuration } = state();
    return [
      `snapshot reads ${queryText(snapshotQueryOf(configuration))}`,
      `snapshot of everything reads ${queryText(snapshotQueryOf(configuration, { everything: true }))}`,
    ];
  },
  'policy-data': async (plan: Plan, { source, state }: Run) => {
    // The library for policies takes time to load.
    const { policyTargets } = await import('../../src/check/policy-data.ts');
    const planned = state();
    const names = await readPolicyNames(planned.configuration, source, {});
    const targets = policyTargets(plan, { ...planned, names });
    return policySubjects.flatMap((subject) =>
      targets(subject).flatMap(({ location, data, former = [] }) => {
        const place = location ? ` at ${location.line}:${location.column}` : '';
        // The changes of the plan are the targets of the subject before it.
        const own = 'changes' in data ? { ...data, changes: '...' } : data;
        return [
          `policy data of ${subject}${place}: ${dataText(own)}`,
          ...former.map((view) => `    or before the plan: ${dataText(withoutEqual(view, data))}`),
        ];
      }),
    );
  },
} satisfies Readonly<Record<string, Detail>>;

function printedPart(part: Plan, index: number): readonly string[] {
  const [, ...found] = printedPlan({ ...part, changes: [] }).split('\n');
  const shown = (['overview', 'effects', 'undeclared-access', 'summary'] as const).flatMap((detail) =>
    details[detail](part),
  );
  const addresses = part.changes.map(({ address }) => address).join(', ');
  return [
    `part ${index + 1}: ${addresses || 'no changes'}`,
    ...[...found, ...shown].map((line) => `    ${line}`),
  ];
}

const policySubjects = ['workspace', 'grant', 'project', 'change', 'plan'] as const;

/** The values that another object has not, or has otherwise. */
function withoutEqual(values: object, other: object): object {
  const others = new Map<string, unknown>(Object.entries(other));
  return Object.fromEntries(
    Object.entries(values)
      .filter(([key, value]) => dataText(others.get(key)) !== dataText(value))
      .map(([key, value]) => [
        key,
        key === 'attributes' ? withoutEqual(value, others.get(key) ?? {}) : value,
      ]),
  );
}

/** Integers of policies end with `n`, mappings start with `map`, and sets are lists. */
function dataText(value: unknown): string {
  if (value instanceof Set) return dataText([...value]);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(dataText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = [...(value instanceof Map ? value : Object.entries(value))].filter(
    ([, inner]) => inner !== undefined,
  );
  const text = `{${entries.map(([key, inner]) => `${key}: ${dataText(inner)}`).join(', ')}}`;
  return value instanceof Map ? `map${text}` : text;
}

/** A fixed level implies its permissions, so only those of `custom` are printed. */
function grantText(grant: Plan['overview']['grants'][number]['before']): string {
  if (grant === null) return 'null';
  return grant.access === 'custom' ? `custom ${shown({ ...grant.permissions })}` : grant.access;
}

/** What a body holds below its JSON:API envelope, which is the same for all. */
function bodyData(body: Value): Value {
  return isRecord(body) && 'data' in body ? (body.data as Value) : body;
}

/** Without what it does not ask for. */
function queryText(query: LiveQuery): string {
  return dataText({ ...query, bindings: query.bindings || undefined });
}

/** Flow style, without the quotes and spaces that a reader does not need. */
function shown(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (isRecord(value))
    return `{${Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => `${key}: ${shown(item as Value)}`)
      .join(', ')}}`;
  return typeof value === 'string'
    ? /^[\w./~> *{}@^$:+-]+$/.test(value)
      ? value
      : JSON.stringify(value)
    : String(value);
}

export function diagnosticText({ severity, code, message, location, root, hint }: Diagnostic): string {
  const file = root === undefined ? '' : ` in ${basename(root)}`;
  const place = `${file}${location ? ` at ${location.line}:${location.column}` : ''}`;
  const found = `${severity} ${code}${place}: ${message}`;
  if (!hint) return found;
  const whole = `${found}; hint: ${hint}`;
  return whole.length <= width ? whole : `${found}\n    hint: ${hint}`;
}

type GivenOptions = Pick<
  MakePlanOptions,
  'only' | 'maxDeletes' | 'maxRevokes' | 'maxUpdates' | 'purpose' | 'now'
> &
  Pick<PlanResolvedOptions, 'due' | 'overrideFreeze'> & {
    readonly undo?: boolean;
    readonly brief?: boolean;
    readonly onlyChanged?: true;
    readonly diagnosticsOnly?: boolean;
    readonly show?: readonly (keyof typeof details)[];
  };

function planOptions(text: string): GivenOptions {
  const { undo, drift, review, now, ...others }: Readonly<Record<string, unknown>> = parsed(text);
  const purpose = undo ? 'undo' : drift ? 'drift' : review ? 'review' : undefined;
  // Of `max-deletes` and others that are called as the options of a plan.
  const given = Object.entries(others).map(([key, value]) => [
    key.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return {
    ...Object.fromEntries(given),
    ...(undo === true && { undo }),
    ...(purpose && { purpose }),
    ...(now !== undefined && { now: new Date(String(now)) }),
  };
}

/** A source that has read everything; `names` are looked up by kind, and ids are not looked up if there are none. */
export function sourceOf(text: string): LiveSource & { readonly queries: readonly LiveQuery[] } {
  const live = liveState(text);
  const given: LiveText = parsed(text);
  const projects = Object.entries(given.projects ?? {}).map(([id, { name }]) => [String(name), id] as const);
  const names: NonNullable<LiveText['names']> = {
    ...(given.projects && { projects: Object.fromEntries(projects) }),
    ...given.names,
  };
  const { access, listed, 'other-access': other = {} } = given;
  const queries: LiveQuery[] = [];
  return {
    queries,
    read: async (query) => {
      queries.push(query);
      const { projects: asked } = query;
      const refused = query.managedProjects
        ? given.refused?.settings
        : query.scopes && given.refused?.members;
      if (refused === 'missing') throw new AttuneError('the row lacks it', { code: 'bad-snapshot' });
      if (refused) throw new ServiceError({ method: 'GET', path: '/refused' }, refused, []);
      const [project] = asked.filter((id) => id in other);
      if (project === undefined)
        return given.later && queries.length > 1 ? liveState(stringify({ ...given, ...given.later })) : live;
      const grants = other[project];
      if (grants === 'missing') throw new AttuneError('the row lacks it', { code: 'bad-snapshot' });
      if (typeof grants === 'number')
        throw new ServiceError({ method: 'GET', path: `/team-projects?${project}` }, grants, []);
      return liveState(stringify({ ...given, 'team-access': { [project]: grants } }));
    },
    access: access && accessOf(access),
    workspaceIds: undefined,
    names: async (_organization, kind) => {
      const known = names[kind];
      if (known === undefined) throw new NoLookUpError(kind, 'the row has none');
      return Object.entries(known).map(([name, id]) => ({ name, id }));
    },
    objects:
      listed &&
      (async (_organization, kind) => {
        const known = listed[kind];
        if (known === undefined) throw new NoLookUpError(kind, 'the row has none');
        return Object.entries(known).map(([id, one]) => ({ id, denied: [], ...one }));
      }),
    countWorkspaces: async () => resourcesOf(live.state.resources.values(), 'workspace').length,
    countGrants: async (project) =>
      resourcesOf(live.state.resources.values(), 'team-access').filter(
        ({ attributes }) => attributes.project === project,
      ).length,
  };
}

function accessOf({
  caller,
  teams,
  readable,
  permissions,
  'assessments-enforced': enforced = false,
  'default-project': project,
}: NonNullable<LiveText['access']>): AccessFacts {
  const document = {
    id: 'acme',
    type: 'organizations',
    attributes: { permissions, 'assessments-enforced': enforced },
    relationships:
      project === undefined ? {} : { 'default-project': { data: { id: project, type: 'projects' } } },
  };
  return {
    caller: async () => caller && { name: undefined, ...caller },
    teams: async () =>
      teams &&
      Object.entries(teams).map(([id, { members, 'admin-of-all': isAdminOfAll = false }]) => ({
        id,
        name: id,
        members,
        organizationAccess: isAdminOfAll ? ['manage-projects'] : [],
        isAdminOfAll,
        seesSecretTeams: false,
      })),
    organization: async () => ({ isReadable: readable, ...(permissions && { document }) }),
    organizationIfRead: async () => permissions && { isReadable: true, document },
  };
}

const parsedTexts = new Map<string, unknown>();

/** YAML as data. Mutation tests run each row many times. */
function parsed<Data extends object>(text: string): Data {
  if (!parsedTexts.has(text)) parsedTexts.set(text, parse(text) ?? {});
  return parsedTexts.get(text) as Data;
}

/** The status of the answer, or `missing` in a snapshot. */
type Refused = number | 'missing';

interface LiveText {
  /** Facts about the token and the teams; a snapshot has none. */
  readonly access?: {
    readonly caller?: { readonly kind: string | undefined; readonly id: string };
    readonly teams?: Readonly<
      Record<string, { readonly members?: readonly string[]; readonly 'admin-of-all'?: boolean }>
    >;
    readonly readable?: boolean;
    /** Those of the organization, if the run has read it. */
    readonly permissions?: Readonly<Record<string, boolean>>;
    readonly 'assessments-enforced'?: boolean;
    readonly 'default-project'?: string;
  };
  /** The team access of projects that a plan does not read by itself, or why it cannot be read. */
  readonly 'other-access'?: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, Value>>>> | Refused>
  >;
  /** Why the settings of projects, or all workspaces of some, cannot be read. */
  readonly refused?: { readonly settings?: Refused; readonly members?: Refused };
  /** What reads after the first one answer otherwise. */
  readonly later?: Partial<Pick<LiveText, 'workspaces' | 'projects'>>;
  readonly names?: Readonly<Partial<Record<AliasKind, Readonly<Record<string, string>>>>>;
  /** All objects of a kind by id, for look-ups of ids. Kinds that are not listed are not checked. */
  readonly listed?: Readonly<
    Partial<Record<AliasKind, Readonly<Record<string, Partial<Omit<ListedObject, 'id'>> | null>>>>
  >;
  readonly dialect?: string;
  readonly 'all-read'?: boolean;
  readonly 'scope-read'?: boolean;
  readonly 'default-project'?: string;
  readonly missing?: Live['missing'];
  readonly projects?: Readonly<Record<string, Readonly<Record<string, Value>>>>;
  readonly workspaces?: Readonly<Record<string, Readonly<Record<string, Value>> | null>>;
  readonly 'team-access'?: Readonly<Record<string, Readonly<Record<string, Value>>>>;
}

/**
 * A live state from YAML: `dialect`, `workspaces` by name (attributes as a configuration writes them, lists plain,
 * `remote-state-consumers` as ids; what is omitted has its default, what is under `without` is not returned, `denied` are permissions, and `run` is the current run), `projects` by id, `team-access` by project id and
 * team id, the `missing` features, and what guards read: `access` and `other-access`.
 */
export function liveState(text: string): Live {
  const given: LiveText = parsed(text);
  const dialect = dialects.find((name) => name === given.dialect) ?? 'iac';
  const workspaces = Object.entries(given.workspaces ?? {}).map(([name, values]) =>
    liveWorkspace(name, values ?? {}, dialect),
  );
  const grants = Object.entries(given['team-access'] ?? {}).flatMap(([project, teams]) =>
    Object.entries(teams).map(([team, access]) => liveGrant(project, team, access)),
  );
  const projects = Object.entries(given.projects ?? {}).map(([id, values]) => liveProject(id, values));
  return {
    state: {
      organization: 'acme',
      resources: new Map(
        [...projects, ...workspaces, ...grants].map((resource) => [resource.address, resource]),
      ),
    },
    dialect,
    whole: given['all-read'] ?? true,
    scopeWhole: given['scope-read'] ?? true,
    projects: Object.keys(given['team-access'] ?? {}),
    workspaceTotal: workspaces.length,
    names: new Map(workspaces.map(({ id = '', name }) => [id, name])),
    projectNames: new Map(projects.map(({ id = '', attributes: { name } }) => [id, String(name ?? id)])),
    missing: given.missing ?? [],
    ...(given['default-project'] && { defaultProject: given['default-project'] }),
    diagnostics: [],
  };
}

/** A live resource: a workspace by its name, a project by its id, a grant by both of its ids. */
export function liveResource(
  kind: ResourceKind,
  name: string,
  values: Readonly<Record<string, Value>>,
  dialect: Dialect,
): Resource {
  if (kind === 'workspace') return liveWorkspace(name, values, dialect);
  if (kind === 'project') return liveProject(name, values);
  const { project, team } = namesOfGrant(name);
  return liveGrant(project, team, values);
}

function liveWorkspace(name: string, values: Readonly<Record<string, Value>>, dialect: Dialect): Resource {
  const hasRepository = isRecord(values['vcs-repo']);
  const defaults = pathsOf(workspaceAttributes, dialect)
    .filter((path) => hasRepository || !path.startsWith('vcs-repo.'))
    .filter((path) => !workspaceAttributes[path].hostedOnly)
    .map((path) => [path, workspaceAttributes[path].default]);
  const { id = `ws-${name}`, without = [], denied = [], ...rest } = values;
  const own = Object.entries(rest).flatMap(([key, value]) =>
    nestedAttributes.some((nested) => nested === key) && isRecord(value)
      ? Object.entries(value).map(([inner, item]) => [`${key}.${inner}`, item])
      : [[key, value]],
  );
  const attributes: Record<string, Value> = {
    ...Object.fromEntries(defaults),
    ...(!hasRepository && { 'vcs-repo': null }),
    'execution-mode': 'remote',
    'iac-version': '1.9.0',
    project: 'prj-default',
    'ssh-key': null,
    tags: [],
    lock: { locked: false },
    ...(dialect === 'iac' && { 'resource-count': 0 }),
    ...Object.fromEntries(own),
  };
  for (const path of Array.isArray(without) ? without : []) delete attributes[String(path)];
  return {
    kind: 'workspace',
    address: workspaceAddress(name),
    name,
    id: String(id),
    attributes,
    ...deniedOf(denied),
  };
}

function liveProject(
  id: string,
  { denied = [], without = [], ...values }: Readonly<Record<string, Value>>,
): Resource {
  const attributes: Record<string, Value> = {
    ...{ description: null, 'auto-destroy-activity-duration': null, 'tag-bindings': {} },
    ...values,
  };
  for (const path of Array.isArray(without) ? without : []) delete attributes[String(path)];
  return {
    kind: 'project',
    address: projectAddress(id),
    name: id,
    id,
    attributes: attributes as ProjectResource['attributes'],
    ...deniedOf(denied),
  };
}

function deniedOf(denied: Value): Pick<Resource, 'denied'> {
  return Array.isArray(denied) && denied.length > 0 ? { denied: denied.map(String) } : {};
}

function liveGrant(project: string, team: string, given: Value): Resource {
  const access = (isRecord(given) ? given.access : given) as AccessLevel;
  const named = isRecord(given) ? given : {};
  const without: readonly Value[] = Array.isArray(named.without) ? named.without : [];
  // What a newer service returns beside the permissions that a level is documented to imply.
  const more = permissionPaths.flatMap((path) => (named[path] === undefined ? [] : [[path, named[path]]]));
  const custom = permissionPaths
    .filter((path) => !without.includes(path))
    .map((path) => [path, named[path] ?? permissions[path].customDefault]);
  return {
    kind: 'team-access',
    address: grantAddress(project, team),
    name: `${project}/${team}`,
    id: `tprj-${project}-${team}`,
    attributes: {
      project,
      team,
      access,
      ...(isFixedLevel(access)
        ? { ...impliedPermissions[access], ...Object.fromEntries(more) }
        : Object.fromEntries(custom)),
    },
  };
}
