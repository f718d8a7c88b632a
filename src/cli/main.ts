/*
 * The edge of the process: arguments, output, exit code.
 *
 *   bin.ts --> main --> program.ts, which loads the called command of commands/
 *          --> runSession (emit.ts) --> a session: options, masked output, progress
 *          --> run of the command: a use case of src/run, then its report
 *
 * Results go to stdout, everything else to stderr.
 */

import { CommanderError } from 'commander';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import { internalDiagnostic } from '../run/errors.ts';
import { endedBySignal, type Io, processIo, signalCodes, stackOf } from './io.ts';
import { createProgram, isCommand } from './program.ts';

export async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const io = processIo();
  for (const [signal, exitCode] of Object.entries(signalCodes)) {
    process.on(signal, () => {
      // A command that catches the signal ends the run itself.
      if (process.listenerCount(signal) === 1) void endAtOnce(exitCode, argv, io);
    });
  }
  // Once: an error in what reports the first one ends the process as Node does.
  process.once('uncaughtException', async (error) => {
    const code = await failInternally(error, argv, io);
    await io.flush();
    process.exit(code);
  });
  process.exitCode = await run(argv, io);
  await io.flush();
  // Otherwise Node waits until V8 has compiled what runs often, which this process no longer needs.
  process.exit();
}

/** A command that only reads has nothing to finish. */
async function endAtOnce(exitCode: number, argv: readonly string[], io: Io): Promise<void> {
  const { code, message } = endedBySignal(exitCode);
  if (io.stderr.isTerminal) io.stderr.write('\n');
  if (!wantsJson(argv)) io.stderr.write(`error[${code}]: ${message}\n`);
  else if (!io.stdout.isUsed()) io.stdout.write(await bareDocument(problem(code, message)));
  process.exit(exitCode);
}

/** Runs the command line and resolves with its exit code. The called command alone is loaded. */
export async function run(typed: readonly string[], io: Io): Promise<number> {
  const argv = asFlags(typed);
  let code = 0;
  const exit = (exitCode: number) => {
    code = exitCode;
  };
  try {
    const program = await createProgram({ io, exit }, argv);
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) return failInternally(error, argv, io);
    // Commander prints the help and the version, and throws.
    if (error.exitCode !== 0 && wantsJson(argv)) io.stdout.write(await usageDocument(error));
    return error.exitCode === 0 ? 0 : 1;
  }
  return code;
}

/** `attune help plan` and `attune version`, as other programs have them, are flags here. */
function asFlags(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  // An unknown command is an error, which names the nearest.
  if (first === 'help') return rest[0] === undefined || isCommand(rest[0]) ? [...rest, '--help'] : rest;
  return first === 'version' && rest.length === 0 ? ['--version'] : argv;
}

function usageDocument({ message }: CommanderError): Promise<string> {
  const [first = '', ...hints] = message.replace(/^error: /, '').split('\n');
  return bareDocument(problem('usage', first, { hint: hints.length > 0 ? hints.join(' ') : undefined }));
}

async function failInternally(error: unknown, argv: readonly string[], io: Io): Promise<number> {
  const diagnostic = internalDiagnostic(error, io.run);
  if (wantsJson(argv) && !io.stdout.isUsed()) io.stdout.write(await bareDocument(diagnostic));
  else {
    // Most runs print no error of the process.
    const { renderDiagnostics } = await import('../report/text/diagnostics-text.ts');
    io.stderr.write(renderDiagnostics([diagnostic]));
  }
  if (flagsOf(argv).includes('--verbose')) io.stderr.write(stackOf(error));
  io.stderr.write(io.run.describeWrites?.('figures') ?? '');
  return 1;
}

/** What follows `--` are arguments, even if they look like flags. */
function flagsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

/** Searches the words themselves: the command line could not be parsed, or its run has ended. */
function wantsJson(argv: readonly string[]): boolean {
  return flagsOf(argv).some(
    (word, index, words) => word === '--format=json' || (word === 'json' && words[index - 1] === '--format'),
  );
}

async function bareDocument(diagnostic: Diagnostic): Promise<string> {
  const { jsonText } = await import('../report/escape-controls.ts');
  return jsonText({ format: 'attune.diagnostics/1', diagnostics: [diagnostic] });
}
