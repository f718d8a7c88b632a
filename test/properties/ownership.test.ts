import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DiagnosticsError } from '../../src/model/diagnostic.ts';
import { type Resource, resourcesOf, type WorkspaceResource } from '../../src/model/state.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { cases } from '../support/cases.ts';
import { scopes } from './desired-organization.ts';
import { names } from './live-organization.ts';
import { pairs } from './pairs.ts';
import { configurationOf, everything, openScene } from './scene.ts';

interface Scope {
  readonly projects?: readonly string[];
  readonly tags?: readonly string[];
  readonly names?: readonly string[];
  readonly adopt: readonly string[];
}

const anyScope: fc.Arbitrary<Omit<Scope, 'adopt'>> = fc.oneof(
  { weight: 2, arbitrary: scopes },
  { weight: 1, arbitrary: fc.constant({ names: ['*a', '*-new', '*n'] }) },
);

test('a plan with a scope writes to nothing outside of it, neither before the plan nor after it', async () => {
  const found = { outside: 0, inside: 0 };
  await fc.assert(
    fc.asyncProperty(pairs, anyScope, fc.constantFrom([], [...names]), async (pair, parts, adopt) => {
      const scope: Scope = { ...parts, adopt };
      const load = (enforce: boolean) => configurationOf({ ...pair.desired, scope: { ...scope, enforce } });
      const [enforced, reported] = [await load(true), await load(false)];
      if (!enforced.configuration || !reported.configuration) return;
      const scene = await openScene({ ...pair.flavour, seed: { organization: 'acme', ...pair.live } });
      try {
        const before = await workspacesById(scene.client);
        const refusal = await scene.plan(enforced.configuration).then(() => [], refusedWith);
        // What the same plan does to the service if the scope is not enforced.
        const plan = await scene.plan(reported.configuration).catch(refusedWith);
        if (Array.isArray(plan)) return;
        const written = (await scene.apply(plan)).changes.filter(({ callsDone }) => callsDone > 0);
        const after = await workspacesById(scene.client);
        const isOutside = (workspace: WorkspaceResource | undefined) =>
          workspace !== undefined && !matches(scope, workspace);
        const outside = written.filter(({ kind, id = '', name, facts }) => {
          if (kind === 'project') return scope.projects !== undefined && !scope.projects.includes(name);
          if (kind === 'team-access')
            return !isNamed(
              scope.projects,
              reported.configuration?.desired.resources.get(`${kind}.${name}`),
              facts?.project,
            );
          const was = before.get(id);
          const is = after.get(id) ?? [...after.values()].find((workspace) => workspace.name === name);
          return (isOutside(was) && !adopt.some((adopted) => adopted === was?.name)) || isOutside(is);
        });
        found[outside.length > 0 ? 'outside' : 'inside'] += 1;
        if (outside.length > 0) expect(refusal).toContain('outside-scope');
      } finally {
        await scene.close();
      }
    }),
    cases({ fast: 5, soak: 60 }),
  );
  expect(found.outside).toBeGreaterThan(0);
  expect(found.inside).toBeGreaterThan(0);
});

function refusedWith(error: unknown): string[] {
  if (!(error instanceof DiagnosticsError)) throw error;
  return error.diagnostics.map(({ code }) => code);
}

async function workspacesById(client: ServiceClient): Promise<ReadonlyMap<string, WorkspaceResource>> {
  const { state } = await everything(client);
  return new Map(resourcesOf(state.resources.values(), 'workspace').map((one) => [one.id ?? '', one]));
}

/** The rule of the documentation, apart from the implementation. */
function matches(scope: Scope, { name, attributes }: WorkspaceResource): boolean {
  const tags = (Array.isArray(attributes.tags) ? attributes.tags : []).map((tag) =>
    String(tag).toLowerCase(),
  );
  const pattern = (text: string) => new RegExp(`^${text.replaceAll('*', '.*')}$`);
  return (
    isProject(scope.projects, attributes.project) &&
    (scope.tags ?? []).every((tag) => tags.includes(tag.toLowerCase())) &&
    (scope.names ?? ['*']).some((text) => pattern(text).test(name))
  );
}

function isProject(projects: readonly string[] | undefined, id: unknown): boolean {
  return projects === undefined || projects.some((project) => `prj-${project}` === id);
}

function isNamed(
  projects: readonly string[] | undefined,
  declared: Resource | undefined,
  id: unknown,
): boolean {
  return isProject(projects, declared?.attributes.project ?? id);
}
