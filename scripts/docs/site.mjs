// Builds the documentation as a site into docs/.vitepress/dist. VitePress is installed from docs/package-lock.json.
import { fileURLToPath } from 'node:url';
import { install, run } from '../install.mjs';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
install(docs);
run('npx', ['vitepress', 'build'], docs);
