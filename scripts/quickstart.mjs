// The main job on the embedded service, from its seed: plan, apply, and a second plan that is empty.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const example = 'examples/quickstart';
rmSync(`${root}/${example}/.attune`, { recursive: true, force: true });

for (const command of [
  ['plan', example],
  ['apply', example, '--yes'],
  ['plan', example, '--detailed-exitcode'],
]) {
  console.log(`\n$ attune ${command.join(' ')}\n`);
  const { status } = spawnSync(process.execPath, ['dist/cli/bin.js', ...command], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
console.log(`\nThe last plan is empty. Change a file in ${example}/ and run: npx attune plan ${example}`);
