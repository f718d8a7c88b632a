import type { FolderDiagnostics, Session } from './session.ts';
import type { Planned } from './with-plans.ts';

/** One document for one root file; several stand in a list of plans, each with its own format. */
export function printDocuments(session: Session, documents: readonly Record<string, unknown>[]): void {
  const [first] = documents;
  session.console.document(documents.length === 1 ? first : { format: 'attune.plans/1', plans: documents });
}

/** The limits that plans pass. They are shown after the plan, which has the figures behind them. */
export function limitErrors(planned: readonly Planned[]): FolderDiagnostics[] {
  return planned.flatMap(({ configuration, plan }) => {
    const errors = plan.diagnostics.filter(({ severity }) => severity === 'error');
    return errors.length > 0 ? [{ folder: configuration.folder, diagnostics: errors }] : [];
  });
}
