import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createWholeProgram } from '../../src/cli/program.ts';
import { root } from './pages.ts';

const silent = { write: () => {}, isTerminal: false };

/** The commands of Attune. Definitions write only when their help is printed. */
export const program: Command = await createWholeProgram({
  exit: () => {},
  io: { stdout: silent, stderr: silent } as unknown as Parameters<typeof createWholeProgram>[0]['io'],
});

const { scripts, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Programs that documentation may use. */
const otherPrograms =
  /^(brew|cat|cd|curl|cut|export|git|grep|install|jq|ln|mv|rm|sha256sum|source|terraform|tr|xargs)$/;

/** The words of an `attune` command line that are neither a command nor one of its flags where they should be. */
export function unknownIn(line: string): string[] {
  let command = program;
  const words = line.split(/ +/).filter((word) => word !== '');
  while (words[0] !== undefined && !words[0].startsWith('-') && command.commands.length > 0) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (next === undefined) return [words[0]];
    command = next;
    words.shift();
  }
  const flags = [...command.options.map(({ long }) => long), '--help', '--'];
  return words.filter((word) => word.startsWith('--') && !flags.includes(word.replace(/=.*/, '')));
}

/** What in a block of shell commands is not a command, flag, script or program that a reader has. */
export function unknownCommandsIn(block: string): string[] {
  const script = block
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/(^|\s)#.*$/gm, '')
    .replaceAll(/(\||\\)\n/g, '$1 ');
  const commands = script
    .split(/\n|&&|\||;|<\(|\)/)
    .map((command) => command.trim().replace(/^\$ |^([A-Z_]+=\S+ )+/, ''))
    .filter((command) => command !== '');
  return commands.flatMap((command) => {
    const [name = '', first = '', second = ''] = command.split(/ +/);
    if (name === 'attune') return unknownIn(command.slice('attune'.length));
    if (name === 'npx' && first === 'attune') return unknownIn(command.slice('npx attune'.length));
    const inImage = /^docker run .*\/attune (.*)$/.exec(command)?.[1];
    if (inImage !== undefined) return unknownIn(inImage);
    if (name === 'npx') return first in devDependencies || first === 'tsc' ? [] : [command];
    if (name === 'npm' && first === 'run') return second in scripts ? [] : [command];
    if (name === 'npm') return /^(ci|init|install|pack|test)$/.test(first) ? [] : [command];
    if (name === 'node') return first === 'dist/cli/bin.js' ? unknownIn(command.slice(21)) : [command];
    return otherPrograms.test(name) || /^[A-Z_]+=\S*$/.test(command) ? [] : [command];
  });
}
