// Runs Stryker, which is installed from tools/mutation/package-lock.json. With arguments, such as `-m src/diff/grants.ts`, it passes
// them to Stryker; without, it compares the mutants that no test notices with the list of those that stay.
import { fileURLToPath } from 'node:url';
import { install, run } from '../../scripts/install.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const given = process.argv.slice(2);

install(folder);
const stryker = `${folder}node_modules/@stryker-mutator/core/bin/stryker.js`;
run(process.execPath, [stryker, 'run', ...given], root);
if (given.length === 0) run(process.execPath, [`${folder}survivors.mjs`], root);
