// Prints what each tier passed, failed and skipped, and ends with 1 when a step failed: summary.mjs FOLDER [FAILED STEP…]
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '.', ...failedSteps] = process.argv.slice(2);
let isGood = failedSteps.length === 0;
let [passed, failed, skipped] = [0, 0, 0];

for (const tier of ['fast', 'integration', 'soak']) {
  const file = join(folder, `${tier}.json`);
  if (!existsSync(file)) {
    console.log(`${tier}: not run`);
    isGood = false;
    continue;
  }
  const result = JSON.parse(readFileSync(file, 'utf8'));
  const files = result.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length;
  const tests = {
    passed: result.numPassedTests,
    failed: result.numFailedTests + files,
    skipped: result.numPendingTests + result.numTodoTests,
  };
  console.log(`${tier}: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  passed += tests.passed;
  failed += tests.failed;
  skipped += tests.skipped;
}

if (failedSteps.length > 0) console.log(`failed steps: ${failedSteps.join(', ')}`);
console.log(
  `${isGood && failed === 0 ? 'PASSED' : 'FAILED'}: ${passed} tests passed, ${failed} failed, ${skipped} skipped`,
);
process.exitCode = isGood && failed === 0 ? 0 : 1;
