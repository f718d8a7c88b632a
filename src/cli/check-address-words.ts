import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AttuneError } from '../model/attune-error.ts';
import { shellWord } from '../run/shell-words.ts';

/**
 * Root files are the arguments of most commands. A command that takes addresses names the root file with `--config`.
 *
 * @param command as it is typed, such as `attune accept`
 * @param addresses those of the words that are addresses; all of them by default
 * @throws {AttuneError} if one of the words is a root file or a folder, and not an address.
 */
export function checkAddressWords(
  command: string,
  words: readonly string[],
  { cwd, addresses: checked = words }: { readonly cwd: string; readonly addresses?: readonly string[] },
): void {
  const root = checked.find((word) => isRoot(word, cwd));
  if (root === undefined) return;
  const others = words.filter((word) => word !== root).map(shellWord);
  throw new AttuneError(
    `${JSON.stringify(root)} is a root file or a folder, and ${command} takes addresses`,
    {
      code: 'usage',
      hint: `name the root file with --config: ${[command, ...(others.length > 0 ? others : ['ADDRESS']), '--config', shellWord(root)].join(' ')}`,
    },
  );
}

/** Addresses begin with their kind, and patterns have no place among files. */
function isRoot(word: string, cwd: string): boolean {
  if (/^(workspace|project|team-access|template|role)\.|[*?]/.test(word)) return false;
  return /\.ya?ml$|[\\/]/.test(word) || existsSync(resolve(cwd, word));
}
