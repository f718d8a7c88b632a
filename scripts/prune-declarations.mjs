// Deletes the declarations that no entry point reaches, because they cannot be imported.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const reached = new Set();

function reach(file) {
  if (reached.has(file)) return;
  reached.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.ts['"]/g);
  for (const [, path] of imports) reach(resolve(dirname(file), `${path}.d.ts`));
}

for (const { types } of Object.values(exports)) if (types) reach(join(root, types));

const dist = join(root, 'dist');
for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name);
  if (name.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
}
