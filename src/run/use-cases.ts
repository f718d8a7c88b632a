/* What the commands `plan`, `drift`, `apply`, `undo`, `accept` and `import` do, without their output. */

import type { ApplyResult } from '../model/apply-result.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { AcceptResult, AccessQuestion, AccessResult, ImportResult } from '../model/results.ts';
import { hasDrift } from '../report/figures.ts';
import type { Report } from '../report/report.ts';
import type { AcceptOptions } from './accept-differences.ts';
import type { AccessRequest } from './access-of.ts';
import { checkApplyOptions } from './apply-journals.ts';
import { applyReviewed, reviewPlans } from './apply-planned.ts';
import {
  type BaseOptions,
  createContext,
  type JournalOptions,
  type RunContext,
  type RunSettings,
} from './context.ts';
import { RefusedError } from './errors.ts';
import { writablePath } from './files/write-file.ts';
import type { ImportOptions } from './import-files.ts';
import { hasConflicts } from './revert-runs.ts';
import { type ApplyRequest, type ComparedRoots, compareRoots, savePlanned, withPlans } from './with-plans.ts';

/** A root file of a run that has no plan. */
export interface FailedRoot {
  /** The path from the working folder. */
  readonly root: string;
  /** With at least one error. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The plans of a run. */
export interface PlannedFiles {
  /** One per root file that has a plan. */
  readonly plans: readonly Plan[];
  /** The root files without a plan, and why. */
  readonly failed: readonly FailedRoot[];
  /** Also has the root files without a plan, and why; `renderReport` prints it. */
  readonly report: Report;
}

/** The result of a run that applies. */
export interface AppliedFiles {
  /** One per plan. */
  readonly results: readonly ApplyResult[];
  /**
   * Whether every change is done, every value is confirmed, and the journals are complete. An undo that keeps values is
   * not complete.
   */
  readonly isComplete: boolean;
  /** `renderReport` prints it. */
  readonly report: Report;
  /** The command that undoes what was written; absent if nothing was, or without a journal. */
  readonly undoCommand?: string | undefined;
}

/** The options of a run that applies. */
export interface ApplyFilesOptions extends RunSettings, JournalOptions, BaseOptions {
  /** Once aborted, running calls finish and no other call starts. */
  readonly stop?: AbortSignal;
}

/** The options of {@link planFiles}. */
export interface PlanFilesOptions extends RunSettings, BaseOptions {
  /** Saves the plans to this file, for {@link applySavedPlan}. A plan with errors is not saved. */
  readonly out?: string;
  /** Uses the live state in this file, which `attune snapshot` wrote, instead of the service. */
  readonly snapshot?: string;
}

/**
 * Plans root files, as `attune plan` does. A root file that fails does not stop the others; then nothing is saved to `out`.
 *
 * @param files - root files, or folders with an `attune.yaml`; none: the `attune.yaml` of the working folder
 * @throws {@link RefusedError} if no root file has a plan.
 *
 * @example
 * ```ts
 * const { plans } = await planFiles(['attune.yaml'], { out: 'plan.json' });
 * console.log(plans.map(({ summary }) => summary.calls)); // [ 4 ]
 * ```
 */
export async function planFiles(
  files: readonly string[],
  { out, snapshot, ...settings }: PlanFilesOptions = {},
): Promise<PlannedFiles> {
  const context = createContext(settings);
  const { cwd } = context.io;
  if (out !== undefined) await writablePath('--out', out, cwd);
  const purpose = out === undefined ? 'apply' : 'review';
  const { plans, report, failed, planned } = await compared(purpose, files, context, snapshot);
  if (out !== undefined && !report.entries.some(({ diagnostics }) => hasErrors(diagnostics)))
    await savePlanned(planned, out, context);
  return { plans, failed, report };
}

/** The result of {@link detectDrift}. */
export interface DetectedDrift extends PlannedFiles {
  /** Whether the live state of a root file differs from its configuration. */
  readonly hasDrift: boolean;
}

/**
 * Compares the live state with root files, as `attune drift` does. A root file that fails does not stop the others.
 *
 * @param files - root files, or folders with an `attune.yaml`; none: the `attune.yaml` of the working folder
 * @throws {@link RefusedError} if no root file can be compared.
 *
 * @example
 * ```ts
 * const { hasDrift, plans } = await detectDrift(['attune.yaml']);
 * console.log(hasDrift, plans.flatMap(({ changes }) => changes).length); // true 4
 * ```
 */
export async function detectDrift(
  files: readonly string[],
  { snapshot, ...settings }: Omit<PlanFilesOptions, 'out'> = {},
): Promise<DetectedDrift> {
  const { plans, report, failed } = await compared('drift', files, createContext(settings), snapshot);
  return { hasDrift: plans.some(hasDrift), plans, failed, report };
}

/**
 * Plans root files and applies the plans without a confirmation, as `attune apply --yes` does.
 *
 * @param files - root files, or folders with an `attune.yaml`; none: the `attune.yaml` of the working folder
 * @throws {@link RefusedError} if a root file has no plan, or a plan exceeds its limits; no changes were made.
 *
 * @example
 * ```ts
 * const { isComplete, undoCommand } = await applyFiles(['attune.yaml'], { journal: 'run.jsonl' });
 * console.log(isComplete, undoCommand); // true attune undo run.jsonl
 * ```
 */
export async function applyFiles(
  files: readonly string[],
  options: ApplyFilesOptions = {},
): Promise<AppliedFiles> {
  return applied({ purpose: 'apply', files }, options);
}

/** The options of {@link applySavedPlan}. */
export interface ApplySavedPlanOptions extends Omit<ApplyFilesOptions, 'only' | keyof BaseOptions> {
  /** The root files of the saved plan, or folders with an `attune.yaml`. @default the `attune.yaml` of the working folder */
  readonly files?: readonly string[];
}

/**
 * Plans a saved plan again and applies it if the result is the same, as `attune apply --plan --yes` does.
 *
 * @param plan - a file that `attune plan --out` or {@link planFiles} wrote
 * @throws {@link RefusedError} with every difference if planning again gives other changes; no changes were made.
 * @throws {@link AttuneError} with the code `bad-plan-file` if the file is not a saved plan.
 *
 * @example
 * ```ts
 * await planFiles(['attune.yaml'], { out: 'plan.json' });
 * const { results } = await applySavedPlan('plan.json');
 * console.log(results.flatMap(({ changes }) => changes).length); // 4
 * ```
 */
export async function applySavedPlan(
  plan: string,
  { files = [], ...options }: ApplySavedPlanOptions = {},
): Promise<AppliedFiles> {
  return applied({ purpose: 'replan', files, plan }, options);
}

/** The options of {@link applyUndo}. */
export interface ApplyUndoOptions extends Omit<ApplyFilesOptions, keyof BaseOptions> {
  /** The journal to undo. @default the newest journal of each organization */
  readonly undo?: string;
  /** Root files with the settings of the service. @default the `attune.yaml` of the working folder, if it exists */
  readonly files?: readonly string[];
  /** Deletes workspaces that the run created even if they manage resources. */
  readonly force?: boolean;
}

/**
 * Reverts the changes that a journal records, as `attune undo --yes` does. Values that changed after the run are kept and reported.
 *
 * @throws {@link RefusedError} if there is no plan that reverts a run; no changes were made.
 * @throws {@link AttuneError} with the code `no-journal` if there is no journal, or `bad-journal` if the file is not one.
 *
 * @example
 * ```ts
 * await applyFiles(['attune.yaml'], { journal: 'run.jsonl' });
 * const { results } = await applyUndo({ undo: 'run.jsonl' });
 * console.log(results.flatMap(({ changes }) => changes).length); // 4
 * ```
 */
export async function applyUndo({
  undo,
  files = [],
  force,
  ...options
}: ApplyUndoOptions = {}): Promise<AppliedFiles> {
  return applied({ purpose: 'undo', files, journal: undo, last: undo === undefined, force }, options);
}

/** The options of {@link acceptLive}. */
export interface AcceptLiveOptions extends Omit<RunSettings, 'app' | 'only' | 'shard'>, AcceptOptions {}

/**
 * Writes live values into the YAML files that declare others, as `attune accept` does. A difference that
 * cannot be accepted is an error in `diagnostics` and does not stop the others.
 *
 * @param addresses - `*` matches any characters; `['*']` accepts every difference
 * @throws {@link RefusedError} if the files have errors.
 * @throws {@link AttuneError} if an address is neither declared nor live; no file was written.
 *
 * @example
 * ```ts
 * const { fields } = await acceptLive(['workspace.network-prod'], { fields: ['tags'] });
 * console.log(fields.map(({ address, path }) => `${address} ${path}`)); // [ 'workspace.network-prod tags' ]
 * ```
 */
export async function acceptLive(
  addresses: readonly string[],
  options: AcceptLiveOptions = {},
): Promise<AcceptResult> {
  const { acceptDifferences } = await import('./accept-differences.ts');
  return acceptDifferences(addresses, options, createContext(options));
}

/** The options of {@link importOrganization}. */
export interface ImportOrganizationOptions
  extends Omit<RunSettings, 'app' | 'policy' | 'shard'>,
    ImportOptions {}

/**
 * Writes YAML files for the live state, for which the next plan has no changes, as `attune import` does.
 * A workspace that is left out does not stop the others.
 *
 * @throws {@link RefusedError} if existing files have errors.
 * @throws {@link AttuneError} if a file exists and `existing` is not given, or the filters match nothing; no file was written.
 *
 * @example
 * ```ts
 * const { files } = await importOrganization({ out: 'live', projects: ['payments'] });
 * console.log(files.map(({ file, workspaces }) => `${file}: ${workspaces}`));
 * // [ 'live/attune.yaml: 0', 'live/workspaces/payments.yaml: 1' ]
 * ```
 */
export async function importOrganization(options: ImportOrganizationOptions = {}): Promise<ImportResult> {
  const { importLive } = await import('./import-live.ts');
  return importLive(options, createContext(options));
}

async function compared(
  purpose: 'apply' | 'review' | 'drift',
  files: readonly string[],
  context: RunContext,
  snapshot: string | undefined,
): Promise<PlannedFiles & Pick<ComparedRoots, 'planned'>> {
  const { planned, failed, entries } = await compareRoots(files, context, { purpose, snapshot });
  return {
    plans: planned.flatMap(({ parts }) => parts),
    failed: failed.map(({ source = '', diagnostics }) => ({ root: source, diagnostics })),
    report: { kind: purpose === 'drift' ? purpose : 'plan', entries },
    planned,
  };
}

/** The options of {@link accessOf}. */
export interface AccessOfOptions
  extends Omit<RunSettings, 'only' | 'policy' | 'shard'>,
    Partial<Omit<AccessRequest, 'question'>> {}

/**
 * Answers who can do what, and why, as `attune access` does. It reads only what the question needs.
 *
 * @param question - a team, a project, a workspace or a state; `{}` is every team in every project
 * @throws {@link AttuneError} if the team, the project or the workspace is unknown, or there is no organization.
 *
 * @example
 * ```ts
 * const { rows } = await accessOf({ stateOf: 'network-prod' });
 * console.log(rows.map((row) => `${row.project} ${row.source}`)); // [ 'payments remote-state-consumers' ]
 * ```
 */
export async function accessOf(
  question: AccessQuestion,
  { files = [], organization, declared, ...settings }: AccessOfOptions = {},
): Promise<AccessResult> {
  const { answerAccess } = await import('./access-of.ts');
  return answerAccess({ question, files, organization, declared }, createContext(settings));
}

async function applied(request: ApplyRequest, options: ApplyFilesOptions): Promise<AppliedFiles> {
  const { stop = new AbortController().signal, ...settings } = options;
  const context = createContext(settings);
  // It does not depend on a plan.
  await checkApplyOptions(context);
  return withPlans(request, context, async (plans) => {
    const reviewed = await reviewPlans(plans, context);
    const { isComplete, report, undoCommand } = await applyReviewed(reviewed, context, stop);
    return {
      results: report.entries.flatMap(({ result }) => result ?? []),
      isComplete: isComplete && !plans.some(hasConflicts),
      report,
      undoCommand,
    };
  });
}
