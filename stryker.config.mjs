/** Mutation tests of the code that decides what changes: see "Tests" in docs/architecture.md. */
export default {
  plugins: ['./tools/mutation/test-runner.mjs'],
  testRunner: 'loaded',
  mutate: [
    'src/diff/**/*.ts',
    'src/resolve/**/*.ts',
    'src/hold/**/*.ts',
    'src/plan/**/*.ts',
    'src/access/**/*.ts',
    '!src/access/{row-labels,state-answer,team-answer}.ts',
    'src/check/**/*.ts',
    'src/model/list-rule.ts',
    'src/model/lowered-access.ts',
    'src/run/make-plan.ts',
    'src/saved/{plan-file,still-holds}.ts',
    'src/desired/rules/**/*.ts',
    'src/apply/schedule.ts',
    'src/apply/run-tasks.ts',
  ],
  // Tests of the fast tier, the cheapest first: each mutant is tried with those that run its code, up to the first that fails.
  mutationTests: {
    include: [
      'test/apply/run-tasks.test.ts',
      'test/apply/schedule.test.ts',
      'test/desired/problems.test.ts',
      'test/desired/selector-problems.test.ts',
      'test/plan/tables.test.ts',
      'test/diff',
      'test/resolve',
      'test/plan',
      'test/access',
      'test/check',
      'test/model/lowered-access.test.ts',
      'test/run/make-plan.test.ts',
      'test/saved',
      'test/desired/explain.test.ts',
      // The rows of `attune access` follow from the plan.
      'test/run/access.test.ts',
    ],
    exclude: [
      // It checks the rows of the tables and runs none of the code.
      'test/plan/table-rows.test.ts',
      // They run commands against a service. The tables and test/saved test the same functions.
      'test/access/effects.test.ts',
      'test/check/guards.test.ts',
    ],
  },
  coverageAnalysis: 'perTest',
  // A mutant in a constant of a module needs a new process for each test run. The compiler refuses most of them.
  ignoreStatic: true,
  ignorePatterns: ['build', 'dist', 'bench', 'test/scenarios', 'test/report'],
  // Frees the copies of the test files that a process has loaded.
  maxTestRunnerReuse: 300,
  concurrency: 2,
  // An endless loop ends by its number of iterations; on a busy machine a mutant that all tests cover takes minutes.
  timeoutMS: 120_000,
  incremental: true,
  incrementalFile: '.stryker-incremental.json',
  tempDirName: '.stryker-tmp',
  // Stryker cannot read the configuration of TypeScript 7, and needs none.
  tsconfigFile: 'none.json',
  reporters: ['json', 'progress', 'clear-text'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportMutants: false },
  jsonReporter: { fileName: 'reports/mutation.json' },
  thresholds: { high: 95, low: 92, break: 92 },
};
