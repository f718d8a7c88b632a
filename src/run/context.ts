import type { StdioOptions } from 'node:child_process';
import { homedir } from 'node:os';
import { inspect } from 'node:util';
import type { Shard } from '../desired/load-config.ts';
import { AttuneError, type Diagnostic } from '../model/diagnostic.ts';
import { counted } from '../model/text.ts';
import { attempt } from '../model/value.ts';
import { credentialsIn } from '../service/address.ts';
import { type Clock, systemClock } from '../service/clock.ts';
import type { ServiceEvent } from '../service/exchange.ts';
import { maskToken } from '../service/token.ts';

export interface RunContext {
  readonly io: RunIo;
  readonly options: RunOptions & BaseOptions & JournalOptions;
  readonly progress: Progress;
  readonly console: Notices;
  /** Tokens, which are masked in all output as soon as they are added here. */
  readonly secrets: Set<string>;
  /** Runs the program of `app` in a shell until it ends. All of its output goes to stderr. */
  readonly runProgram: (command: string, env: Environment) => Promise<ProgramEnd>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface RunIo {
  readonly env: Environment;
  readonly cwd: string;
  /** The user's home folder; absent if the system has none, as in some containers. */
  readonly home?: string | undefined;
  readonly clock: Clock;
  readonly date: () => Date;
  readonly run: RunState;
}

export interface RunState {
  /** As it is typed: `attune workspace list`. */
  command?: string;
  /** States what was written to the service; absent until the first call that writes can be sent. */
  describeWrites?: (detail: 'changes' | 'figures') => string;
}

interface ProgramEnd {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
}

/** What a run works on, and what limits it. Each overrides the settings of the files. */
export interface RunOptions {
  readonly address?: string;
  readonly only?: readonly string[];
  /** Policy files, in addition to those of the configuration. */
  readonly policy?: readonly string[];
  /** The command of a program that declares configurations. */
  readonly app?: string;
  readonly shard?: Shard;
  readonly rate?: number;
  readonly parallelism?: number;
  readonly timeout?: number;
  readonly maxDeletes?: number;
  readonly maxRevokes?: number;
  readonly maxUpdates?: number;
  /** Plans only what time alone decides: access that has ended, and fields whose exception has ended. */
  readonly due?: boolean;
  /** Plans for another time than the present one. */
  readonly at?: Date;
  /** Applies changes that no freeze window selects. */
  readonly skipFrozen?: boolean;
  /** Applies what is frozen, too, for this reason. */
  readonly overrideFreeze?: string;
}

/** What a run compares the files with. */
export interface BaseOptions {
  /** A Git revision with the same root files, or a folder with them, which is written as a path: `./folder`. */
  readonly base?: string | undefined;
  /** Leaves out what the base and the files declare alike. */
  readonly onlyChanged?: boolean | undefined;
}

/** Where a run writes its journals. */
export interface JournalOptions {
  /** The file of all journals. @default a new file in `.attune/journal`, beside the root file */
  readonly journal?: string | undefined;
  /** Writes none. */
  readonly noJournal?: boolean | undefined;
}

/** Follows the progress of work. */
export interface Progress {
  /** Begins a phase of work. Without a total, only the completed pieces are counted. */
  begin(label: string, total?: number): void;
  /** Counts one completed piece of work. */
  step(): void;
  /** Takes each event of a request. */
  observe(event: ServiceEvent): void;
  /** Ends the phase. */
  end(): void;
}

/** The address of the service that overrides those of the files. */
export function givenAddress({ io, options }: Pick<RunContext, 'io' | 'options'>): string | undefined {
  return options.address || io.env.ATTUNE_ADDRESS || undefined;
}

export function organizationsLabel(organizations: Iterable<string>): string {
  const [first, ...others] = new Set(organizations);
  return first !== undefined && others.length === 0 ? first : counted(others.length + 1, 'organization');
}

/** Takes warnings, notes and unknown errors beside a result. */
export interface Notices {
  /** Warnings and notes that concern the whole run. */
  diagnostics(diagnostics: readonly Diagnostic[]): void;
  /** A sentence. */
  inform(text: string): void;
  /** An error that Attune does not know, with its stack. */
  unknownError(error: unknown): void;
}

/** The secrets in addresses. An address with a password is refused, and every error before that can quote it. */
export function secretsIn(addresses: readonly (string | undefined)[]): Set<string> {
  return new Set(addresses.flatMap((address) => credentialsIn(address ?? '')));
}

export function masked(text: string, secrets: ReadonlySet<string>): string {
  let shown = text;
  for (const secret of secrets) shown = maskToken(shown, secret);
  return shown;
}

/** Follows a run: its phases and requests, and what it reports beside its result. */
export interface RunObserver extends Progress, Notices {}

/** The options of every run. Messages name them as flags: `--max-deletes` is the option `maxDeletes`. */
export interface RunSettings extends RunOptions {
  /** The working folder, from which all paths are resolved. @default the working folder of the process */
  readonly cwd?: string;
  /** Environment variables with the token and the address. @default those of the process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Is called during the run. What it throws goes to its `unknownError` and changes no result. */
  readonly observer?: Partial<RunObserver>;
}

/** Refuses what the flags of the same names refuse: no change exceeds a limit that is not a number, and part 3 of 2 has no file. */
function checkValues(options: RunOptions): void {
  const check = (name: keyof RunOptions, isAllowed: boolean, hint: string) => {
    if (options[name] === undefined || isAllowed) return;
    throw new AttuneError(`${name} cannot be ${inspect(options[name])}`, { code: 'bad-value', hint });
  };
  const isWhole = (value: unknown, least = 1) => Number.isSafeInteger(value) && Number(value) >= least;
  const { shard, at } = options;
  for (const name of ['rate', 'timeout'] as const)
    check(name, Number.isFinite(options[name]) && Number(options[name]) > 0, 'use a number above 0');
  check('parallelism', isWhole(options.parallelism), 'use a whole number from 1');
  for (const name of ['maxDeletes', 'maxRevokes', 'maxUpdates'] as const)
    check(name, isWhole(options[name], 0), 'use a whole number from 0');
  const isPart = isWhole(shard?.index) && isWhole(shard?.count, shard?.index);
  check('shard', isPart, 'use whole numbers with an index from 1 to the count');
  check('at', at instanceof Date && Number.isFinite(at.getTime()), 'use a valid Date');
}

export function createContext(settings: RunSettings & BaseOptions & JournalOptions): RunContext {
  const { cwd: _cwd, env: _env, observer = {}, ...options } = settings;
  checkValues(options);
  const io = surroundings(settings);
  const failed = (error: unknown) => void notify(() => observer.unknownError?.(error));
  return {
    io,
    options,
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

/** Calls an observer at once. Its errors must not end a run between a write and the record of it. */
async function notify(call: () => unknown, failed?: (error: unknown) => void): Promise<void> {
  try {
    await call();
  } catch (error) {
    failed?.(error);
  }
}

export function surroundings({
  cwd = process.cwd(),
  env = process.env,
}: Pick<RunSettings, 'cwd' | 'env'> = {}): RunIo {
  return {
    cwd,
    env,
    clock: systemClock,
    date: () => new Date(),
    run: {},
    // Without `HOME`, the user's entry in the list of users is needed. An empty name would mean the working folder.
    home: attempt(homedir) || undefined,
  };
}

export async function runCommand(
  command: string,
  { cwd, env, stop }: { readonly cwd: string; readonly env: Environment; readonly stop?: AbortSignal },
): Promise<ProgramEnd> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const stdio: StdioOptions = ['ignore', 2, 'inherit'];
    const child = spawn(command, { shell: true, cwd, env: { ...env }, stdio });
    const end = () => child.kill();
    stop?.addEventListener('abort', end);
    child.on('error', (cause) =>
      reject(new AttuneError(`cannot run ${command}: ${cause.message}`, { code: 'app-failed', cause })),
    );
    child.on('close', (code, signal) => {
      stop?.removeEventListener('abort', end);
      resolve({ code, signal });
    });
  });
}
