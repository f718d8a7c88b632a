import type { World } from '../world.ts';
import type { LoadedSeed } from './load-seed.ts';
import { type OrganizationSeed, SeedError, type SeedPath } from './seed.ts';
import { seedOrganization } from './seed-organization.ts';

const fallback = 'acme';

/** Fills an empty store with the seed, and always with the requested organization. */
export function seedStore(
  world: World,
  loaded: LoadedSeed | undefined,
  organization: string | undefined,
): void {
  const { seed, locate } = loaded ?? { seed: {}, locate: () => 'seed' };
  const { organization: own, organizations, tokens, ...rest } = seed;
  const seeded = new Map<string, SeedPath>();
  const put = (name: string, content: OrganizationSeed, path: SeedPath) => {
    seedOrganization({ world, organization: name, seed: content, path, locate });
    seeded.set(name, path);
  };
  for (const [name, content] of Object.entries(organizations ?? {}))
    put(name, content ?? {}, ['organizations', name]);
  const wanted = organization ?? own;
  const named = wanted ?? (seeded.size === 0 ? fallback : undefined);
  if (named !== undefined && !seeded.has(named)) put(named, rest, []);
  else if (Object.keys(rest).length > 0) {
    throw new SeedError(`${locate([])}: move all other keys into one of the organizations`);
  }
  seedTokens(world, loaded, [...seeded.keys()][0] ?? fallback);
}

function seedTokens(world: World, loaded: LoadedSeed | undefined, only: string): void {
  for (const [token, content] of Object.entries(loaded?.seed.tokens ?? {})) {
    const organization = content.organization ?? only;
    const place = loaded?.locate(['tokens', token]) ?? 'seed';
    if (!world.store.get('organizations', organization)) {
      throw new SeedError(`${place}: the seed has no organization ${organization}`);
    }
    const workspaces = content.workspaces?.map((reference) => {
      const record =
        world.store.workspaces.byName(organization, reference) ?? world.store.get('workspaces', reference);
      if (!record) throw new SeedError(`${place}: the seed has no workspace ${reference}`);
      return record.id;
    });
    const teams = content.teams?.map((reference) => {
      const team = world.store
        .all('teams')
        .find((known) => known.organization === organization && [known.id, known.name].includes(reference));
      if (!team) throw new SeedError(`${place}: the seed has no team ${reference}`);
      return team.id;
    });
    world.store.put('tokens', {
      id: token,
      organization,
      role: content.role,
      workspaces: workspaces ?? null,
      teams: teams ?? [],
      user: content.user ?? world.store.nextId('user', token),
      ...(content.kind && { kind: content.kind }),
    });
  }
}
