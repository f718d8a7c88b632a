import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the bill of materials has exactly the packages that an installation of Attune brings', () => {
  const file = `${root}/attune.cdx.json`;
  execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, stdio: 'pipe' });
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  expect([bomFormat, metadata.component['bom-ref']]).toEqual(['CycloneDX', 'attune@0.1.0']);

  const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));
  const wanted = Object.entries<{ version: string; dev?: boolean; devOptional?: boolean }>(packages)
    .filter(([place, { dev, devOptional }]) => place !== '' && !dev && !devOptional)
    .map(([place, { version }]) => `${place.replace(/.*node_modules\//, '')}@${version}`);
  const found = components.map((component: { 'bom-ref': string }) => component['bom-ref']);
  expect(found.sort()).toEqual(wanted.sort());
  const licences = components.flatMap(({ licenses }: { licenses?: unknown[] }) => (licenses ? [] : ['none']));
  expect(licences).toEqual([]);
});
