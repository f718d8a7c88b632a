import { join } from 'node:path';
import { parse } from 'yaml';
import { creations } from '../../src/apply/journal/journal.ts';
import type { JournaledChange, RunJournal } from '../../src/apply/journal/parse-journal.ts';
import { diff } from '../../src/diff/diff.ts';
import type { RecoverableItem } from '../../src/live/access-facts.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { DiagnosticsError } from '../../src/model/diagnostic.ts';
import type { Dialect, Feature } from '../../src/model/dialect.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { type Resource, resourcesOf } from '../../src/model/state.ts';
import type { Values } from '../../src/model/value.ts';
import { aliasesForUndo } from '../../src/resolve/labels.ts';
import { resolveNames } from '../../src/resolve/look-up-names.ts';
import { fillPlaceholders } from '../../src/resolve/placeholders.ts';
import { makePlan } from '../../src/run/make-plan.ts';
import { writtenBy } from '../../src/service/call-codec.ts';
import { findLive, type Touched, withPresentProjects } from '../../src/undo/read-touched.ts';
import { undoConfiguration } from '../../src/undo/undo-configuration.ts';
import {
  diagnosticText,
  liveResource,
  liveState,
  planOf,
  printedPlan,
  sourceOf,
} from '../support/plan-tables.ts';
import { mappingIn, type TextRow, testTextTables } from '../support/text-tables.ts';

/*
 * The live state before a run, the `files` that the run applied, what changed `since`, and the plan of the undo. As YAML: `live` and `files`
 * as in the plan tables; `since` has other values of what was left, null for what is gone, and what is new.
 */
testTextTables(join(import.meta.dirname, 'tables'), { values: undoText, existence: undoText });

interface Options {
  readonly unknown?: readonly string[];
  readonly unsent?: readonly string[];
  readonly 'cut-off'?: boolean;
  readonly recoverable?: readonly string[] | null;
  readonly missing?: readonly Feature[];
  readonly force?: boolean;
  /** What the answers of an operation show, under neutral names. */
  readonly answered?: Readonly<Record<string, Values>>;
}

async function undoText(row: TextRow): Promise<string> {
  const yaml = (title: string) => mappingIn(row, title);
  const [live, files] = [yaml('live'), yaml('files')];
  const given: Options = parse(yaml('options'));
  const { configuration, plan } = await planOf(files, live);
  const before = liveState(live);
  const ids = idsOf(plan);
  const named = await resolveNames(configuration, { source: sourceOf(live) });
  const after = diff(named, before).after.map((resource) => existing(resource, ids, before.dialect));
  const run = journalOf(plan, {
    configuration: named,
    before: [...before.state.resources.values()],
    ids,
    given,
  });
  const now = laidOver(after, parse(yaml('since')), before.dialect);
  const touched = touchedIn(run, now, before.dialect, given);
  const undone = undoConfiguration(run, touched, configuration, {
    deleteMode: given.force ? 'force' : 'safe',
    missing: given.missing ?? [],
    recreated: new Map(),
  });
  try {
    const source = { ...sourceOf(live), read: async () => undone.live };
    const request = { source, address: 'https://iac.example.com', purpose: 'undo' as const };
    return withoutRepetitions(printedPlan(await makePlan(undone.configuration, request)));
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    return error.diagnostics.map(diagnosticText).join('\n');
  }
}

/** Without the hint that each conflict has. */
function withoutRepetitions(plan: string): string {
  return plan
    .replaceAll(/^ {4}hint: it changed after the run: .*(\n|$)/gm, '')
    .replace(/\nunchanged: 0$/m, '')
    .trimEnd();
}

/** The ids that the service gives to what a plan creates. */
function idsOf({ changes }: Plan): ReadonlyMap<string, string> {
  const prefixes = { workspace: 'ws', project: 'prj', 'team-access': 'tprj' } as const;
  const created = changes.filter(({ action }) => action === 'create');
  return new Map(
    created.map(({ address, kind, name }) => [address, `${prefixes[kind]}-${name.replaceAll('/', '-')}`]),
  );
}

/** A resource after the run, as the service returns it. */
function existing(resource: Resource, ids: ReadonlyMap<string, string>, dialect: Dialect): Resource {
  const { kind, name, id, attributes }: Resource = JSON.parse(
    JSON.stringify(resource).replaceAll(
      /\{((?:workspace|project)\.[^}]+)\}/g,
      (_, address) => ids.get(address) ?? '',
    ),
  );
  const known = id ?? ids.get(resource.address) ?? '';
  return liveResource(
    kind,
    kind === 'project' ? known : name,
    { ...attributes, id: known } as never,
    dialect,
  );
}

interface JournalInput {
  readonly configuration: Configuration;
  readonly before: readonly Resource[];
  readonly ids: ReadonlyMap<string, string>;
  readonly given: Options;
}

/** The journal of a run in which every call succeeded, unless its answer was lost. */
function journalOf(plan: Plan, { configuration, before, ids, given }: JournalInput): RunJournal {
  const { organization, address, dialect, changes } = plan;
  const { unknown = [], unsent = [], answered = {} } = given;
  const journaled = (change: PlannedChange): JournaledChange => {
    const { kind, name, action, id, facts = {} } = change;
    const filled: Values = JSON.parse(
      JSON.stringify(facts).replaceAll(/\{(project\.[^}]+)\}/g, (_, one) => ids.get(one) ?? ''),
    );
    const live = before.find((one) => one.id === id);
    return {
      ...{ address: change.address, kind, name, action, before: filled, result: 'done' },
      ...(id !== undefined && { id }),
      ...(action === 'delete' && kind !== 'team-access' && live && { kept: keptOf(live) }),
      calls: change.calls
        .filter(({ operation }) => !unsent.includes(operation))
        .map((planned, number) => {
          const call = fillPlaceholders(planned, new Map(ids));
          const created = creations.has(call.operation) ? ids.get(change.address) : undefined;
          const shown = answered[call.operation];
          return {
            call,
            written: writtenBy(call, dialect),
            ...(!unknown.includes(call.operation) && {
              outcome: {
                record: 'outcome',
                number,
                result: 'done',
                ...(created && { id: created }),
                ...(shown && { answered: shown }),
              },
            }),
          };
        }),
    };
  };
  const isWhole = !given['cut-off'];
  const aliases = Object.fromEntries(
    Object.entries(aliasesForUndo(configuration, plan)).map(([kind, known]) => [
      kind,
      Object.fromEntries([...known].map(([alias, id]) => [alias, ids.get(id.slice(1, -1)) ?? id])),
    ]),
  ) as RunJournal['aliases'];
  const about = { organization, address, dialect, plan: '', at: '2026-01-01T00:00:00Z', aliases };
  return { ...about, isWhole, isComplete: isWhole, skipped: 0, changes: changes.map(journaled) };
}

function keptOf({ kind, name, attributes }: Resource): Values {
  return kind === 'workspace' ? { ...attributes, name } : attributes;
}

type Since = Readonly<
  Record<'workspaces' | 'projects' | 'team-access', Readonly<Record<string, unknown>> | undefined>
>;

/** The resources with other values, without those that are null, and with new ones. */
function laidOver(after: readonly Resource[], since: Partial<Since>, dialect: Dialect): readonly Resource[] {
  const grants = Object.entries(since['team-access'] ?? {}).flatMap(([project, teams]) =>
    Object.entries(teams as Record<string, unknown>).map(
      ([team, values]) => [`${project}/${team}`, values] as const,
    ),
  );
  const changed = [
    ...Object.entries(since.workspaces ?? {}).map(([name, values]) => ['workspace', name, values] as const),
    ...Object.entries(since.projects ?? {}).map(([id, values]) => ['project', id, values] as const),
    ...grants.map(([name, values]) => ['team-access', name, values] as const),
  ];
  const resources = new Map(after.map((resource) => [`${resource.kind} ${resource.name}`, resource]));
  for (const [kind, name, values] of changed) {
    const known = resources.get(`${kind} ${name}`);
    resources.delete(`${kind} ${name}`);
    if (values === null) continue;
    const { name: renamed = name, unused, ...own } = (values ?? {}) as Values;
    const former: Values = known ? { ...known.attributes, id: known.id ?? '' } : { id: `new-${name}` };
    const isProject = kind === 'project';
    const shown = isProject ? { ...former, ...(values as Values) } : { ...former, ...own };
    const one = liveResource(kind, isProject ? name : String(renamed), shown, dialect);
    resources.set(`${kind} ${renamed}`, unused ? ({ ...one, isUnused: true } as Resource) : one);
  }
  return [...resources.values()];
}

/** What {@link readTouched} finds in a live state. */
function touchedIn(
  run: RunJournal,
  resources: readonly Resource[],
  dialect: Dialect,
  { recoverable }: Options,
): Touched {
  const projects = resourcesOf(resources, 'project');
  const changes = withPresentProjects(run.changes, findLive(projects));
  const workspaces = resourcesOf(resources, 'workspace');
  const liveOf = findLive(resources);
  const items = recoverable?.map((id): [string, RecoverableItem] => [
    id,
    { id: `item-${id}`, expiresAt: '2026-01-08T00:00:00Z', isPermanentlyDeleted: false },
  ]);
  return {
    changes: changes.map((change) => ({ change, live: liveOf(change) })),
    workspaces: new Map(workspaces.map((workspace) => [workspace.id ?? '', workspace])),
    grants: resourcesOf(resources, 'team-access'),
    projects: projects.length > 0 ? projects : undefined,
    recoverable: recoverable === null ? undefined : new Map(items),
    names: new Map(workspaces.map(({ id = '', name }) => [id, name])),
    dialect,
  };
}
