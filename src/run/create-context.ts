import type { Notices, Progress, RunContext, RunOptions } from './context.ts';
import { secretsIn } from './secrets.ts';
import { runCommand, surroundings } from './surroundings.ts';

/** Follows a run: its phases and requests, and what it reports beside its result. */
export interface RunObserver extends Progress, Notices {}

/** The options of every run. */
export interface RunSettings extends RunOptions {
  /** The working folder, from which all paths are resolved. @default the working folder of the process */
  readonly cwd?: string;
  /** Environment variables with the token and the address. @default those of the process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Is called during the run. */
  readonly observer?: Partial<RunObserver>;
}

/** The context of a run of a library user. */
export function createContext(settings: RunSettings): RunContext {
  const { cwd, env, observer = {}, ...options } = settings;
  const io = surroundings({ ...(cwd !== undefined && { cwd }), ...(env && { env }) });
  return {
    io,
    options,
    secrets: secretsIn([options.address, io.env.ATTUNE_ADDRESS]),
    runProgram: (command, programEnv) => runCommand(command, { cwd: io.cwd, env: programEnv }),
    progress: {
      begin: (label, total) => observer.begin?.(label, total),
      step: () => observer.step?.(),
      observe: (event) => observer.observe?.(event),
      end: () => observer.end?.(),
    },
    console: {
      diagnostics: (diagnostics) => observer.diagnostics?.(diagnostics),
      inform: (text) => observer.inform?.(text),
      unknownError: (error) => observer.unknownError?.(error),
    },
  };
}
