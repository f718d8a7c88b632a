import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** `gh` has jq built in; its stub asks the one that is installed. */
export const hasJq = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'jq')));

if (!hasJq) console.warn('jq is not installed: the recipes for GitHub are not run.');
