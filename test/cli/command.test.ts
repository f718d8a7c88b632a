import { Command } from 'commander';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type CommandHost, defineCommand } from '../../src/cli/command.ts';
import {
  choiceFlag,
  listArgument,
  listFlag,
  requiredArgument,
  switchFlag,
  textFlag,
  wholeNumberFlag,
} from '../../src/cli/flag.ts';
import { formatFlag } from '../../src/cli/flags.ts';
import { createProgram } from '../../src/cli/program.ts';
import { systemClock } from '../../src/service/clock.ts';

const silent = { write: () => {}, isTerminal: false, failure: async () => undefined, isUsed: () => false };

function hostWith(exit: CommandHost['exit']): CommandHost {
  const unused = () => {
    throw new Error('not called');
  };
  return {
    exit,
    io: {
      stdout: silent,
      stderr: silent,
      env: {},
      cwd: '.',
      clock: systemClock,
      retryFor: 0,
      date: () => new Date(0),
      canAsk: () => false,
      ask: unused,
      catchInterrupts: unused,
      runCommand: unused,
      run: {},
    },
  };
}

test('a command gets the values of its arguments and flags with the types of their definitions', async () => {
  const seen: unknown[] = [];
  const codes: number[] = [];
  const command = defineCommand({
    arguments: { order: requiredArgument('the order', ['up', 'down']), files: listArgument('the files') },
    flags: {
      ...formatFlag(['text', 'json']),
      noColor: switchFlag('disable colors'),
      maxLines: wholeNumberFlag('n', 'the most lines', 1),
      unique: switchFlag('no line twice'),
      by: choiceFlag('key', 'what to sort by', ['name', 'size']),
      skip: listFlag('name', 'a file to skip'),
      out: textFlag('file', 'where to'),
    },
    examples: [],
    run: (args, flags) => {
      expectTypeOf(args.order).toEqualTypeOf<'up' | 'down'>();
      expectTypeOf(args.files).toEqualTypeOf<readonly string[]>();
      expectTypeOf(flags.format).toEqualTypeOf<'text' | 'json'>();
      expectTypeOf(flags.noColor).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(flags.maxLines).toEqualTypeOf<number | undefined>();
      expectTypeOf(flags.unique).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(flags.by).toEqualTypeOf<'name' | 'size' | undefined>();
      expectTypeOf(flags.skip).toEqualTypeOf<readonly string[] | undefined>();
      expectTypeOf(flags.out).toEqualTypeOf<string | undefined>();
      // @ts-expect-error No flag has this name.
      expect(flags.outt).toBeUndefined();
      seen.push(args, flags);
      return 3;
    },
  });
  const program = new Command('tool');
  const host = hostWith((code) => codes.push(code));
  command.addTo(program, { name: 'sort', description: 'sort files' }, host);
  const flags = ['--no-color', '--max-lines', '7', '--unique', '--by', 'size', '--skip', 'x', '--skip', 'y'];
  await program.parseAsync(['sort', 'down', 'a', 'b', ...flags], { from: 'user' });
  expect(codes).toEqual([3]);
  expect(seen).toEqual([
    { order: 'down', files: ['a', 'b'] },
    { format: 'text', noColor: true, maxLines: 7, unique: true, by: 'size', skip: ['x', 'y'] },
  ]);
});

describe('the command line that starts with', () => {
  const commandsOf = async (...argv: string[]) => {
    const program = await createProgram(
      hostWith(() => {}),
      argv,
    );
    return new Map(program.commands.map((command) => [command.name(), command]));
  };

  test('the name of a command defines that command only', async () => {
    expect([...(await commandsOf('plan')).keys()]).toEqual(['plan']);
  });

  test.each(['__complete', '--help', 'plam'])(
    '%s at the start of the command line shows all commands, and loads none of them',
    async (called) => {
      const commands = await commandsOf(called);
      expect([...commands.keys()]).toEqual(
        expect.arrayContaining(['init', 'validate', 'plan', 'completion']),
      );
      expect([...commands.values()].flatMap(({ options }) => options)).toEqual([]);
    },
  );

  test('the words to complete load the command among them, for its flags', async () => {
    const commands = await commandsOf('__complete', '--', 'plan', '--');
    expect(commands.get('plan')?.options.length).toBeGreaterThan(0);
    expect(commands.get('apply')?.options).toEqual([]);
  });
});
