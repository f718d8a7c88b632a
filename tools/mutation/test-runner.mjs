// A test runner for Stryker that keeps the sources loaded between mutants. A mutant costs milliseconds this way; the
// official Vitest runner starts a worker and loads about 200 modules for each one, which takes over a second.
import { existsSync, readdirSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { startTests } from '@vitest/runner';

class LoadedTestRunner {
  static inject = [commonTokens.options];
  #options;
  /** Where the instrumented sources look up the active mutant and count their coverage. */
  #namespace;
  #imports = 0;
  /** Reading the folders of the tests takes as long as trying a mutant. */
  #testFiles = [];
  /** The tests that noticed the latest mutants of each source file, the last one first. */
  #noticedBy = new Map();

  constructor(options) {
    this.#options = options;
    globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
    this.#namespace = globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE];
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    Object.assign(process.env, { ATTUNE_SEED: '42' });
    register('./load-typescript.mjs', import.meta.url);
    this.#testFiles = testFiles(this.#options.mutationTests);
  }

  async dryRun() {
    const { tests, failure } = await this.#run(this.#testFiles);
    if (failure) return { status: DryRunStatus.Error, errorMessage: failure };
    return { status: DryRunStatus.Complete, tests, mutantCoverage: this.#namespace.mutantCoverage };
  }

  async mutantRun({ testFilter = [], activeMutant, hitLimit }) {
    Object.assign(this.#namespace, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const { tests, failure } = await this.#tryTests(testFilter, activeMutant.fileName);
    const timeout = determineHitLimitReached(this.#namespace.hitCount, hitLimit);
    this.#namespace.activeMutant = undefined;
    if (timeout) return toMutantRunResult(timeout);
    if (failure) return toMutantRunResult({ status: DryRunStatus.Error, errorMessage: failure });
    return toMutantRunResult({ status: DryRunStatus.Complete, tests });
  }

  /** Tries the tests first that noticed other mutants of the same source file. Most mutants need no others. */
  async #tryTests(ids, source) {
    const likely = (this.#noticedBy.get(source) ?? []).filter((id) => ids.includes(id));
    const first = await this.#runAll(likely);
    const isNoticed = first.failure || first.tests.some(({ status }) => status === TestStatus.Failed);
    const { tests, failure } = isNoticed
      ? first
      : await this.#runAll(ids.filter((id) => !likely.includes(id)));
    const noticing = tests.filter(({ status }) => status === TestStatus.Failed).map(({ id }) => id);
    this.#noticedBy.set(
      source,
      [...new Set([...noticing, ...(this.#noticedBy.get(source) ?? [])])].slice(0, 40),
    );
    return { tests, failure };
  }

  async #runAll(ids) {
    const wanted = new Set(ids.map((id) => id.split('#')[0]));
    const files = this.#testFiles.filter((file) => wanted.has(file));
    return this.#run(files, new Set(ids));
  }

  /** Runs tests up to the first that fails when `only` names them, and all of `files` otherwise. */
  async #run(files, only) {
    const tests = [];
    let failed = false;
    const runner = {
      config: runnerConfig(),
      // A test file is evaluated again for each run; what it imports stays loaded.
      importFile: (path) => import(`${pathToFileURL(path).href}?run=${++this.#imports}`),
      onBeforeRunTask: (test) => {
        if (failed || (only && !only.has(idOf(test)))) test.mode = 'skip';
      },
      onBeforeTryTask: (test) => {
        this.#namespace.currentTestId = only ? undefined : idOf(test);
      },
      onAfterTryTask: () => {
        this.#namespace.currentTestId = undefined;
      },
      onAfterRunTask: (test) => {
        const { state, errors, duration = 0 } = test.result ?? {};
        if (test.mode === 'skip' || state === undefined) return;
        const result = { id: idOf(test), name: idOf(test), fileName: sourceOf(test), timeSpentMs: duration };
        if (state !== 'fail') return tests.push({ ...result, status: TestStatus.Success });
        failed = only !== undefined;
        tests.push({
          ...result,
          status: TestStatus.Failed,
          failureMessage: errors?.[0]?.message ?? 'failed',
        });
      },
    };
    const loaded = [];
    // One file after the other: a file after the first failure is not even loaded.
    for (const file of files) if (!failed) loaded.push(...(await startTests([resolve(file)], runner)));
    const broken = loaded.find(({ result }) => result?.state === 'fail' && result.errors?.length);
    const [error] = broken?.result.errors ?? [];
    // A mutant can keep a file from being loaded. Without one, every file has to be loaded.
    const isFailure = error && (only === undefined || tests.length === 0);
    return { tests, failure: isFailure ? `${broken.filepath}: ${error.message}` : undefined };
  }
}

/** Test files of the folders and files that the configuration names, in the order of the names. */
function testFiles({ include, exclude }) {
  const isIn = (paths) => (file) => paths.some((path) => file === path || file.startsWith(`${path}/`));
  const files = readdirSync('test', { recursive: true })
    .map((file) => `test/${file}`)
    .filter((file) => file.endsWith('.test.ts') && !isIn(exclude)(file))
    .sort();
  return [...new Set(include.flatMap((path) => files.filter(isIn([path]))))];
}

/** No test takes a minute: the limit ends one that a mutant keeps from ending. */
const runnerConfig = () => ({
  root: process.cwd(),
  setupFiles: [],
  passWithNoTests: true,
  allowOnly: false,
  sequence: { concurrent: false, hooks: 'stack', setupFiles: 'list' },
  maxConcurrency: 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  retry: 0,
  includeTaskLocation: false,
  tags: [],
  // Titles of table rows are whole, as in vitest.config.ts: two rows with the same beginning are two tests.
  chaiConfig: { truncateThreshold: 0 },
});

function idOf({ file, fullTestName, name }) {
  return `${relative(process.cwd(), file.filepath)}#${fullTestName ?? name}`;
}

/** The file that has the text of a test: the table of a row, or the test file. Stryker tries mutants again when it changes. */
function sourceOf({ file, suite }) {
  const table = resolve(dirname(file.filepath), 'tables', suite?.name.replaceAll("'", '') || 'none');
  return existsSync(table) ? table : file.filepath;
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'loaded', LoadedTestRunner)];
export const strykerValidationSchema = {
  properties: { mutationTests: { type: 'object' } },
};
