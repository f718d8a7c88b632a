import { setFlagsFromString } from 'node:v8';
import { endedBySignal, signalCodes } from './interrupts.ts';
import { type Io, processIo } from './io.ts';
import { bareDocument, failInternally, run, wantsJson } from './run.ts';

/** Runs the command line of the process. */
export async function main(): Promise<void> {
  // The HTTP parser is one large WebAssembly function: optimizing it takes 30 MB and gains nothing that can be measured.
  setFlagsFromString('--liftoff-only');
  const argv = process.argv.slice(2);
  const io = processIo();
  for (const [signal, exitCode] of Object.entries(signalCodes)) {
    process.on(signal, () => {
      // A command that catches the signal ends the run itself.
      if (process.listenerCount(signal) === 1) void endAtOnce(exitCode, argv, io);
    });
  }
  process.on('uncaughtException', async (error) => {
    const code = await failInternally(error, argv, io);
    await io.flush();
    process.exit(code);
  });
  process.exitCode = await run(argv, io);
  await io.flush();
  // Otherwise Node waits until V8 has compiled what runs often, which this process no longer needs.
  if (isIdle()) process.exit();
}

const ownResources = new Set(['FSReqPromise', 'PipeWrap', 'TTYWrap']);

/** Modules that the user has preloaded can have work left. */
function isIdle(): boolean {
  const isOwn = (resource: string) => ownResources.has(resource);
  return process.listenerCount('beforeExit') === 0 && process.getActiveResourcesInfo().every(isOwn);
}

/** A command that only reads has nothing to finish. */
async function endAtOnce(exitCode: number, argv: readonly string[], io: Io): Promise<void> {
  const { code, message } = endedBySignal(exitCode);
  if (io.stderr.isTerminal) io.stderr.write('\n');
  if (!wantsJson(argv)) io.stderr.write(`error[${code}]: ${message}\n`);
  else if (!io.stdout.isUsed()) io.stdout.write(await bareDocument({ severity: 'error', code, message }));
  process.exit(exitCode);
}
