// Applies a plan that `attune plan --out` saved, unless planning it again gives other changes:
// node apply-saved-plan.mjs plan.json attune.yaml
import { AttuneError, applySavedPlan, renderReport } from 'attune';

const [plan = 'plan.json', ...files] = process.argv.slice(2);
try {
  const { report, isComplete, undoCommand } = await applySavedPlan(plan, { files });
  console.log(await renderReport(report, 'text'));
  if (undoCommand !== undefined) console.log(`Undo with: ${undoCommand}`);
  process.exitCode = isComplete ? 0 : 1;
} catch (error) {
  if (!(error instanceof AttuneError)) throw error;
  console.error(error.message, error.hint ?? '');
  process.exitCode = 1;
}
