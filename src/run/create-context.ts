import type { NamedFlag, Notices, Progress, RunContext, RunOptions } from './context.ts';
import { secretsIn } from './secrets.ts';
import { runCommand, surroundings } from './surroundings.ts';

/** Follows a run: its phases and requests, and what it reports beside its result. */
export interface RunObserver extends Progress, Notices {}

/** The options of every run. Diagnostics of plans name them as flags: `--max-deletes` is the option `maxDeletes`. */
export interface RunSettings extends RunOptions {
  /** The working folder, from which all paths are resolved. @default the working folder of the process */
  readonly cwd?: string;
  /** Environment variables with the token and the address. @default those of the process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Is called during the run. What it throws goes to its `unknownError` and changes no result. */
  readonly observer?: Partial<RunObserver>;
}

/** The context of a run of a library user. */
export function createContext(settings: RunSettings): RunContext {
  const { cwd, env, observer = {}, ...options } = settings;
  const io = surroundings({ ...(cwd !== undefined && { cwd }), ...(env && { env }) });
  const failed = (error: unknown) => void notify(() => observer.unknownError?.(error));
  return {
    io,
    options,
    named: (flag) => libraryOptions[flag],
    secrets: secretsIn([options.address, io.env.ATTUNE_ADDRESS]),
    runProgram: (command, programEnv) => runCommand(command, { cwd: io.cwd, env: programEnv }),
    progress: {
      begin: (label, total) => void notify(() => observer.begin?.(label, total), failed),
      step: () => void notify(() => observer.step?.(), failed),
      observe: (event) => void notify(() => observer.observe?.(event), failed),
      end: () => void notify(() => observer.end?.(), failed),
    },
    console: {
      diagnostics: (diagnostics) => void notify(() => observer.diagnostics?.(diagnostics), failed),
      inform: (text) => void notify(() => observer.inform?.(text), failed),
      unknownError: failed,
    },
  };
}

/** The options of the library by the flags of the command line. */
const libraryOptions: Readonly<Record<NamedFlag, string>> = {
  address: 'address',
  app: 'app',
  as: 'as',
  base: 'base',
  declared: 'declared',
  force: "existing: 'overwrite'",
  journal: 'journal',
  map: 'map',
  name: 'names',
  'no-journal': 'noJournal',
  only: 'only',
  'only-changed': 'onlyChanged',
  organization: 'organization',
  out: 'out',
  project: 'projects',
  'state-for': 'stateFor',
  'state-of': 'stateOf',
  tag: 'tags',
  team: 'team',
  'trust-plan': 'trustPlan',
  update: "existing: 'update'",
  workspace: 'workspace',
};

/** Calls an observer at once. Its errors must not end a run between a write and the record of it. */
async function notify(call: () => unknown, failed?: (error: unknown) => void): Promise<void> {
  try {
    await call();
  } catch (error) {
    failed?.(error);
  }
}
