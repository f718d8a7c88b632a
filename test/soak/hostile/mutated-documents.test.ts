import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalDigest } from '../../../src/model/value.ts';
import { type Path, pathsIn, withValue } from '../../desired/typed-mutations.ts';
import { attune, worldWith } from '../../support/attune.ts';
import { sample } from '../../support/cases.ts';

const root = `attune: 1
organization: acme
projects: {p: {id: prj-1, manage: true, description: x}}
teams: {sre: team-sre, dev: team-dev}
workspaces: {a: {project: p, auto-apply: true, tags: [x], remote-state-consumers: [b]}, b: {}, c: {state: absent}}
team-access: {p: {sre: admin, dev: {access: custom, workspace-access: {runs: plan}}}}
`;
const seed = {
  projects: { P: 'prj-1', Q: 'prj-2' },
  teams: { sre: 'team-sre', dev: 'team-dev' },
  workspaces: { a: { project: 'Q' }, c: {} },
  'team-access': { P: { sre: 'read' }, Q: { sre: 'write' } },
} as const;
const reports = ['r.md', 'r.html', 'r.xml', 'r.sarif'].flatMap((name) => ['--report', name]);

/** The document with another name for the key at the end of a path. */
function renamed(document: unknown, path: Path): unknown {
  const [container, key] = [path.slice(0, -1), path.at(-1)];
  const mapping = container.reduce((now, step) => (now as Record<string, unknown>)[step], document);
  const entries = Object.entries(mapping as object).map(([name, value]) => [
    name === key ? 'unknown' : name,
    value,
  ]);
  return withValue(document, container, Object.fromEntries(entries));
}

function variants(document: unknown): unknown[] {
  return pathsIn(document).flatMap((path) => {
    const value = path.reduce<unknown>((now, step) => (now as Record<string, unknown>)[step], document);
    return [
      ...(typeof value === 'object' ? [] : [withValue(document, path, 'unknown')]),
      ...(typeof path.at(-1) === 'string' ? [renamed(document, path)] : []),
    ];
  });
}

test('show renders or refuses a document with any unknown name of a permission, kind, field or value', async () => {
  const world = await worldWith(root, { seed, dialect: 'terraform' });
  const limit = ['--max-deletes', '9'];
  expect((await world.attune('plan', '--out', 'plan.json', ...limit)).code).toBe(0);
  const applied = await world.attune('apply', '--yes', '--format', 'json', ...limit);
  const file = join(world.folder, 'changed.json');
  for (const text of [await readFile(join(world.folder, 'plan.json'), 'utf8'), applied.stdout]) {
    const { digest: _digest, ...document } = JSON.parse(text);
    for (const variant of sample(variants(document), 600)) {
      const digest = canonicalDigest(variant as Record<string, unknown>);
      await writeFile(file, JSON.stringify({ ...(variant as object), digest }));
      const { stderr } = await attune(['show', 'changed.json', ...reports], { cwd: world.folder });
      expect(stderr, JSON.stringify(variant)).not.toContain('internal');
    }
  }
});
