import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import { readNames } from '../../src/live/read-names.ts';
import type { Resource } from '../../src/model/state.ts';
import { isRecord, type Value, type Values } from '../../src/model/value.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { readOrganization } from '../../src/write/read-organization.ts';

import { type Flavour, flavours } from '../properties/live-organization.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { cases, isSoak } from '../support/cases.ts';
import { hostileOrganization } from './hostile-organization.ts';

/** Services write one instant in several ways, and compute it where there is a duration. */
function instant(attributes: Values): number | undefined {
  const { 'auto-destroy-at': at, 'auto-destroy-activity-duration': duration } = attributes;
  return typeof at === 'string' && !duration ? Date.parse(at) : undefined;
}

/** All readable state of a service, by address, with names instead of the ids of workspaces. */
async function everythingAt(url: string): Promise<Record<string, unknown>> {
  const client = createServiceClient({ address: new URL(url), token: 'test-token' });
  try {
    const { live } = await readOrganization(client, {
      organization: 'acme',
      selection: {},
      namesOf: (kind) => readNames(client, 'acme', kind),
    });
    const named = (value: Value | undefined) =>
      Array.isArray(value) ? value.map((id) => live.names.get(String(id)) ?? id).sort() : value;
    const reported = ({ attributes }: Resource) => ({
      ...attributes,
      'remote-state-consumers': named(attributes['remote-state-consumers']),
      lock: isRecord(attributes.lock) ? { ...attributes.lock, by: undefined } : undefined,
      'auto-destroy-at': instant(attributes),
      // Counted by the service, and the id that the policy happens to have.
      'resource-count': undefined,
      'data-retention-policy': undefined,
    });
    return Object.fromEntries(
      [...live.state.resources].map(([address, resource]) => [address, reported(resource)]),
    );
  } finally {
    await client.close();
  }
}

/** Imports an organization with all defaults, and creates it again on a service that has only its projects and teams. */
async function expectTheSameAgain(flavour: Flavour, seed: OrganizationSeed): Promise<void> {
  const cwd = await folderWith({});
  const { workspaces: _workspaces, 'team-access': _access, ...rest } = seed;
  const there = await serviceWith({ ...flavour, seed: { organization: 'acme', ...seed } });
  const anew = await serviceWith({ ...flavour, seed: { organization: 'acme', ...rest } });
  const go = (url: string, ...argv: readonly string[]) =>
    attune([...argv, '--address', url], { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
  const imported = await go(there.url, 'import', '--organization', 'acme', '--full');
  expect(imported.code, imported.stderr).toBe(0);
  const applied = await go(anew.url, 'apply', '--yes');
  expect(applied.code, applied.stdout + applied.stderr).toBe(0);
  expect(await everythingAt(anew.url)).toEqual(await everythingAt(there.url));
}

/** A lock that a run holds, and tags with variables, are left out of the files, and reported. */
function declarable(seed: OrganizationSeed): OrganizationSeed {
  const workspaces = Object.entries(seed.workspaces ?? {}).map(([name, workspace]) => {
    const { locked, tags = [], ...rest } = workspace ?? {};
    const isRun = typeof locked === 'object' && locked.by?.startsWith('run-');
    return [
      name,
      {
        ...rest,
        ...(!isRun && locked !== undefined && { locked }),
        tags: tags.filter((tag) => !/\$\{.*\}/.test(tag)),
      },
    ] as const;
  });
  return { ...seed, workspaces: Object.fromEntries(workspaces) };
}

// What a hosted service has, the others have, too. The soak tier runs all.
const tried = flavours.filter(({ edition }) => isSoak || edition !== 'hosted');

test.each(
  tried.map((flavour) => [[flavour.dialect, flavour.edition].filter(Boolean).join(', '), flavour] as const),
)('a service that is created from the imported files of %s equals the imported one', (_name, flavour) =>
  fc.assert(
    fc.asyncProperty(hostileOrganization(flavour, { min: 1, max: 6 }), (seed) =>
      expectTheSameAgain(flavour, declarable(seed)),
    ),
    { ...cases({ fast: 1, soak: 7 }), endOnFailure: true },
  ),
);
