import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RunJournal } from '../apply/journal/parse-journal.ts';
import { diff } from '../diff/diff.ts';
import { type Live, type LiveSource, rememberLists, serviceSource } from '../live/read-live.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { addressPatterns } from '../model/declared-selector.ts';
import { AttuneError, type Diagnostic, DiagnosticsError, problem, warning } from '../model/diagnostic.ts';
import { readRegularFile, relativePath } from '../model/files.ts';
import type { Plan } from '../model/plan.ts';
import { commandLine, pathWord } from '../model/text.ts';
import { withParts } from '../plan/divide.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import { refuseUnmatched, selectChanged, selectMatching } from '../resolve/plan-request.ts';
import { requireSameService } from '../saved/saved-for.ts';
import { planThatHolds } from '../saved/still-holds.ts';
import { isSameOrganization } from '../service/address.ts';
import { type RevertedRuns, readTouched, withRecreated } from '../undo/read-touched.ts';
import { undoConfiguration } from '../undo/undo-configuration.ts';
import type { Connection, Connections } from './connect.ts';
import { organizationsLabel, type RunContext } from './context.ts';
import { journalFolder, listJournals, readJournalFile, readPlanFile } from './files/input-files.ts';
import { type PlanResolvedOptions, planResolved } from './make-plan.ts';
import { limitParts, type SharedPlanOptions, sharedPlanOptions } from './plan-options.ts';
import type { Planned } from './plan-roots.ts';
import { allOrRefused } from './report-entry.ts';
import { journalsToUndo } from './undo-journals.ts';
import { configurationOf, identityOf, loadUndoRoots, type UndoRoot, undoSettings } from './undo-settings.ts';

interface NamedRun extends RunJournal {
  readonly file: string;
}

export interface UndoRequest {
  readonly journal?: string | undefined;
  readonly last?: boolean | undefined;
  readonly plan?: string | undefined;
  readonly force?: boolean | undefined;
}

export async function undoPlans(
  { files, journal, last, plan, force = false }: UndoRequest & { readonly files: readonly string[] },
  context: RunContext,
) {
  const { cwd } = context.io;
  const lastRoots = last ? await readUndoRoots(files, context) : undefined;
  const names = await journalsToUndo(lastRoots, journal, cwd);
  if (last) context.console.inform(`Undoing ${names.join(', ')}`);
  const journals = names.map(async (file) =>
    (await readJournalFile(file, cwd)).map((run) => ({ ...run, file })),
  );
  const runs = (await Promise.all(journals)).flat();
  const saved = plan === undefined ? undefined : await readPlanFile(plan, cwd);
  if (saved) checkSaved(saved, runs);
  const undoRoots = lastRoots ?? (await readUndoRoots(files, context));
  const configurations = await Promise.all(runs.map((run) => undoSettings(run, undoRoots, context)));
  return {
    configurations,
    plansOver: async (connections: Connections): Promise<readonly Planned[]> => {
      const shared = sharedPlanOptions(context);
      context.progress.begin(`${organizationsLabel(runs.map(({ organization }) => organization))}: reading`);
      const planned = await allOrRefused(configurations, context, (settings, index) => {
        const given = { connection: connections.at(index), saved: saved?.[index], force, shared };
        return revertRun(runs[index] as NamedRun, settings, context, given);
      });
      context.progress.end();
      // The limits on the command line count over all runs.
      const limited = limitParts(planned, context, ({ desired }) => desired.organization);
      refuseUnmatched(context.options.only ?? [], limited);
      return limited.map((one) => ({ ...one, roots: rootsOfOrganization(undoRoots, one.configuration) }));
    },
  };
}

/** An undo needs no valid files: guards, policies and freeze windows are not checked if a file has errors, or there is none. */
async function readUndoRoots(files: readonly string[], context: RunContext): Promise<readonly UndoRoot[]> {
  const { console, io } = context;
  const roots = await loadUndoRoots(files, context);
  for (const { file, configuration } of roots) {
    if (configuration) continue;
    const name = relativePath(io.cwd, file);
    const validate = commandLine(['attune', 'validate', name === 'attune.yaml' ? [] : pathWord(name)].flat());
    const hint = `run \`${validate}\`, and correct the file to check them`;
    const notice = existsSync(file)
      ? withoutFiles('warning', `${name} has errors and is ignored`, hint)
      : withoutFiles('note', 'there is no attune.yaml', 'name a root file to check them');
    console.diagnostics([notice]);
  }
  return roots;
}

function withoutFiles(severity: 'note' | 'warning', why: string, hint: string): Diagnostic {
  return problem(
    'files-left-aside',
    `${why}: the undo follows the journal, and guards, policies and freeze windows of the file are not checked`,
    { severity, hint },
  );
}

/** The guards of all root files of the organization are needed to revert the undo. */
function rootsOfOrganization(roots: readonly UndoRoot[], own: Configuration): readonly Configuration[] {
  const { organization } = own.desired;
  return roots
    .filter((root) => isSameOrganization(identityOf(root, organization), own))
    .map((root) => configurationOf(root, organization));
}

function checkSaved(saved: readonly Plan[], runs: readonly RunJournal[]): void {
  const isAlike = (plan: Plan, run: RunJournal | undefined) => run && isSameOrganization(plan, run);
  if (saved.length === runs.length && saved.every((plan, index) => isAlike(plan, runs[index]))) return;
  const of = (things: readonly Pick<Plan, 'organization' | 'address'>[]) =>
    things.map(({ organization, address }) => `${organization} on ${address}`).join(', ');
  throw new AttuneError(`the plan is for ${of(saved)}, and the journal is for ${of(runs)}`, {
    code: 'other-plan',
    hint: 'use the plan that `attune undo --out` saved for this journal',
  });
}

interface RevertRunOptions {
  readonly connection: Connection;
  readonly saved: Plan | undefined;
  readonly force: boolean;
  readonly shared: SharedPlanOptions;
}

async function revertRun(
  journaled: NamedRun,
  settings: Configuration,
  { options, io }: RunContext,
  { connection, saved, force, shared }: RevertRunOptions,
): Promise<Planned> {
  const { client, address } = connection;
  requireSameService({ what: 'journal', ...journaled }, settings, connection);
  const { run, recreated } = await withOtherRuns(journaled, settings, io.cwd);
  const readAt = io.clock.now();
  const reader = rememberLists(client);
  const touched = await readTouched(run, reader, settings.service.dialect);
  const { configuration, live } = undoConfiguration(run, touched, settings, {
    deleteMode: force ? 'force' : 'safe',
    recreated,
    missing: client.capabilities.missing(),
  });
  // An undo declares only what it reverts: selectors match the declarations of the files, else the live values.
  const { desired } = configuration;
  const known = [desired, live.state, settings.desired].flatMap(({ resources }) => [...resources]);
  const selectedFrom = { ...settings, desired: { ...desired, resources: new Map(known) } };
  const only = addressPatterns(options.only ?? [], selectedFrom);
  const selection = saved ? selectChanged([saved], desired) : selectMatching(only);
  const { chosen = () => true } = selection;
  const { changes: found } = diff(configuration, live, { purpose: 'undo' });
  const request = { address, selection, purpose: 'undo', ...shared } as const;
  const source = () => touchedSource(live, serviceSource(reader));
  const revertible = await planRevertible(configuration, request, source);
  const again: Plan = { ...revertible, undo: true };
  const made = saved
    ? await planThatHolds({ saved, again, configuration, source: 'journal', reader: client })
    : again;
  return {
    configuration,
    selectedFrom: [selectedFrom],
    connection,
    readAt,
    undoes: journaled.file,
    undoesPart: hasConflicts({ plan: made }) || found.some(({ address }) => !chosen(address)),
    ...withParts(made, [made]),
  };
}

/**
 * The plan of all that can be reverted. What the comparison refuses, such as what the service does not offer, is left out
 * with the reason. What `guards.protect` protects is not: the rules of the files refuse the whole undo.
 */
async function planRevertible(
  configuration: Configuration,
  request: Omit<PlanResolvedOptions, 'source'>,
  source: () => LiveSource,
): Promise<Plan> {
  const options = { ...request, source: source() };
  try {
    return (await planResolved(await resolveNames(configuration, options), options)).plan;
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    const errors = error.diagnostics.filter(({ severity }) => severity === 'error');
    const { desired, diagnostics } = configuration;
    const isLeftOut = ({ address = '', code }: Diagnostic) =>
      code !== 'protected' && desired.resources.has(address);
    if (errors.length === 0 || !errors.every(isLeftOut)) throw error;
    const refused = new Set(errors.map(({ address }) => address));
    const resources = new Map([...desired.resources].filter(([address]) => !refused.has(address)));
    const notes = errors.map(({ address = '', message, hint }) =>
      warning('not-reverted', `${address} is not reverted: ${message}`, { at: { address }, hint }),
    );
    const left = { ...configuration, desired: { ...desired, resources } };
    return planRevertible({ ...left, diagnostics: [...diagnostics, ...notes] }, request, source);
  }
}

/** The plan is made from what the run touched; the guards may read more of the service. */
function touchedSource(live: Live, source: LiveSource): LiveSource {
  const touched = [live];
  return { ...source, read: async (query) => touched.pop() ?? source.read(query) };
}

/** A value that has changed since the run, and what cannot be reverted, is kept: then not everything is undone. */
export function hasConflicts({ plan }: Pick<Planned, 'plan'>): boolean {
  return plan.diagnostics.some(({ code }) => code === 'undo-conflict' || code === 'not-reverted');
}

/** A run with what undos of other runs created again, by the journals beside its own. One that cannot be read proves nothing. */
async function withOtherRuns(run: NamedRun, configuration: Configuration, cwd: string) {
  const folders = [...rootsOf(configuration).map(journalFolder), dirname(resolve(cwd, run.file))];
  const undos: RevertedRuns[] = [];
  for (const { path } of await listJournals(folders, run)) {
    // Each run of a command is an undo, or none is.
    const [first = ''] = (await readRegularFile(path).catch(() => '')).split('\n', 1);
    if (!first.includes('"undoes":')) continue;
    for (const undo of await runsLike(run, path, cwd))
      if (undo.undoes !== undefined)
        undos.push({ undo, reverted: await runsLike(run, resolve(dirname(path), undo.undoes), cwd) });
  }
  undos.sort((a, b) => (a.undo.at < b.undo.at ? -1 : 1));
  return withRecreated(run, undos);
}

async function runsLike(run: RunJournal, path: string, cwd: string): Promise<readonly RunJournal[]> {
  const runs = await readJournalFile(relativePath(cwd, path), cwd).catch(() => []);
  return runs.filter((other) => isSameOrganization(other, run));
}
