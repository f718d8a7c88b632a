import { settleAccess } from '../rules/access.ts';
import type { PlantInput } from './plant-organization.ts';
import type { References } from './references.ts';
import { SeedError } from './seed-error.ts';

/** Grants by project and team, each a level or a mapping as the service takes it. */
export function plantTeamAccess(input: PlantInput, references: References): void {
  const { world, seed, locate } = input;
  for (const [projectName, teams] of Object.entries(seed['team-access'] ?? {})) {
    const path = [...input.path, 'team-access', projectName];
    const project = references.idOf('projects', projectName, path);
    for (const [teamName, value] of Object.entries(teams)) {
      const place = [...path, teamName];
      const team = references.idOf('teams', teamName, place);
      const attributes = typeof value === 'string' ? { access: value } : value;
      // Seeds use the neutral names whatever the wire speaks.
      const { dialect } = world;
      const { access, errors } = settleAccess({ before: undefined, attributes, dialect, names: 'iac' });
      if (errors.length > 0) {
        const problems = errors.map(
          (error) => `${error.source?.pointer ?? ''} ${error.detail ?? error.title}`,
        );
        throw new SeedError(`${locate(place)}: ${place.join('.')}: ${problems.join('; ')}`);
      }
      if (world.store.grantsOf(project).some((grant) => grant.team === team)) {
        throw new SeedError(`${locate(place)}: ${place.join('.')}: this team's access is given twice`);
      }
      world.store.put('grants', {
        id: world.store.nextId('tprj', `${project}/${team}`),
        project,
        team,
        ...access,
      });
    }
  }
}
