// Prints what each tier passed, failed and skipped, with the failed tests and the first line of each reason, and ends
// with 1 when a step failed: summary.mjs FOLDER [FAILED STEP…]
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

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
  const failures = result.testResults.flatMap(failuresOf);
  const tests = {
    passed: result.numPassedTests,
    failed: failures.length,
    skipped: result.numPendingTests + result.numTodoTests,
  };
  console.log(`${tier}: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  for (const { title, reason } of failures) console.log(`  ${title}\n    ${firstLine(reason)}`);
  passed += tests.passed;
  failed += tests.failed;
  skipped += tests.skipped;
}

if (failedSteps.length > 0) console.log(`failed steps: ${failedSteps.join(', ')}`);
console.log(
  `${isGood && failed === 0 ? 'PASSED' : 'FAILED'}: ${passed} tests passed, ${failed} failed, ${skipped} skipped`,
);
process.exitCode = isGood && failed === 0 ? 0 : 1;

/** The failed tests of a file. A file that could not be loaded has no tests and counts as one. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(process.cwd(), name);
  const failures = assertionResults.filter((test) => test.status === 'failed');
  if (failures.length === 0) return status === 'failed' ? [{ title: file, reason: message }] : [];
  return failures.map(({ fullName, failureMessages }) => ({
    title: `${file}: ${fullName}`,
    reason: failureMessages[0],
  }));
}

function firstLine(text = '') {
  return stripVTControlCharacters(text).trim().split('\n')[0].slice(0, 300);
}
