import { expect, test } from 'vitest';
import type { CommandHost } from '../../src/cli/command.ts';
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
      date: () => new Date(0),
      ask: unused,
      catchInterrupts: unused,
      runCommand: unused,
      run: {},
    },
  };
}

const commandsOf = async (...argv: string[]) => {
  const program = await createProgram(
    hostWith(() => {}),
    argv,
  );
  return new Map(program.commands.map((command) => [command.name(), command]));
};

test('a command line that starts with the name of a command defines that command only', async () => {
  expect([...(await commandsOf('plan')).keys()]).toEqual(['plan']);
});

test.each(['__complete', '--help', 'plam'])(
  '%s at the start of the command line shows all commands, and loads none of them',
  async (called) => {
    const commands = await commandsOf(called);
    expect([...commands.keys()]).toEqual(expect.arrayContaining(['init', 'validate', 'plan', 'completion']));
    expect([...commands.values()].flatMap(({ options }) => options)).toEqual([]);
  },
);

test('the words to complete load the command among them, for its flags', async () => {
  const commands = await commandsOf('__complete', '--', 'plan', '--');
  expect(commands.get('plan')?.options.length).toBeGreaterThan(0);
  expect(commands.get('apply')?.options).toEqual([]);
});
