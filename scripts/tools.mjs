// Installs the tools of scripts/package-lock.json, and runs the one that is named, such as `knip`. `npm test` needs none of them.
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, run } from './install.mjs';

const [tool, ...argv] = process.argv.slice(2);
const folder = fileURLToPath(new URL('.', import.meta.url));

install(folder);
process.env.PATH = `${folder}node_modules/.bin${delimiter}${process.env.PATH}`;
if (tool !== undefined) run(tool, argv, fileURLToPath(new URL('..', import.meta.url)));
