import { rmSync } from 'node:fs';

for (const folder of ['build', 'dist'])
  rmSync(new URL(`../${folder}`, import.meta.url), { recursive: true, force: true });
