import { resolve } from 'node:path';
import { type Emulator, startEmulator } from '../../emulator/index.ts';
import { type Dialect, dialects } from '../../model/dialect.ts';
import { defineCommand } from '../command.ts';
import { choiceFlag, plainFlags, positiveFlag, textFlag, wholeNumberFlag } from '../flags.ts';

export default defineCommand({
  details:
    'Runs an HTTP server that implements the API of the service, for trials and tests without an account. When it is ready, prints `LISTENING http://127.0.0.1:PORT` on stdout and the environment variables for clients on stderr. Runs until a signal stops it.',
  arguments: {},
  flags: {
    port: wholeNumberFlag('n', 'port to listen on (default: a free port)', 0),
    data: textFlag('file', 'file that stores the data (default: in memory)'),
    seed: textFlag('file', 'file with the initial data, used while there is no stored data'),
    organization: textFlag('name', "organization (default: the seed's, else acme)"),
    dialect: choiceFlag(
      'dialect',
      'names that the API uses, such as iac-version or terraform-version',
      dialects,
    ),
    edition: choiceFlag(
      'edition',
      'edition of the service; if not set, hosted for terraform and both for iac',
      ['hosted', 'self-hosted'],
    ),
    latency: positiveFlag('ms', 'delay of each response in milliseconds'),
    rate: wholeNumberFlag(
      'n',
      'maximum number of requests per second and caller; others are answered with 429',
      1,
    ),
    faults: textFlag('file', 'file with the faults to inject'),
    log: textFlag('file', 'log each request to this file as a line of JSON'),
    ...plainFlags,
  },
  examples: ['attune emulator --seed seed.yaml', 'attune emulator --port 8080 --data live.json'],
  learnMore: 'docs/guides/emulator.md',
  run: async (_args, { noColor: _noColor, quiet: _quiet, data, seed, faults, log, ...options }, session) => {
    const { io, console } = session;
    const interrupts = io.catchInterrupts();
    try {
      const files = Object.entries({ data, seed, faults, log }).flatMap(([name, file]) =>
        file === undefined ? [] : [[name, resolve(io.cwd, file)] as const],
      );
      const service = await startEmulator({ ...options, ...Object.fromEntries(files) });
      io.stdout.write(`LISTENING ${service.url}\n`);
      for (const line of clientEnvironment(service, options.dialect)) console.inform(line);
      if (!interrupts.stop.aborted)
        await new Promise((stopped) => interrupts.stop.addEventListener('abort', stopped, { once: true }));
      await service.stop();
      return interrupts.exitCode() ?? 0;
    } finally {
      interrupts.release();
    }
  },
});

function clientEnvironment({ url, needsToken }: Emulator, dialect: Dialect = 'iac'): readonly string[] {
  const token = needsToken ? 'TOKEN' : 'any-token';
  const hint = needsToken ? '  # TOKEN: one of the tokens of the seed' : '';
  const line = (prefix: string) => `export ${prefix}_ADDRESS=${url} ${prefix}_TOKEN=${token}${hint}`;
  // Official clients of the live service read TFE_ADDRESS and TFE_TOKEN.
  return [line('ATTUNE'), ...(dialect === 'terraform' ? [line('TFE')] : [])];
}
