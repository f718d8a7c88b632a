import { sameAttribute } from '../diff/normalize.ts';
import { changesOf, type WorkspaceChange } from '../model/change.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { nearest } from '../model/text.ts';
import type { Values } from '../model/value.ts';
import type { Check } from './check.ts';

/** Equal values among fewer declared ones are not significant. */
const leastValues = 3;

/**
 * Notes on workspaces that are created while a similar one is deleted: a rename is usually intended, which keeps the
 * state and the runs. Two workspaces are similar if no other project is declared, and they have the same repository and working
 * directory, or similar names and the same values in all attributes that the created one declares.
 */
export const lookAlikes: Check = {
  codes: ['looks-renamed'],
  except: [],
  find({ difference }) {
    const changes = changesOf(difference.changes, 'workspace');
    const deleted = changes.flatMap(({ action, live }) => (action === 'delete' && live ? [live] : []));
    return changes.flatMap(({ action, target, location }) => {
      if (action !== 'create' || target === undefined) return [];
      const former = lookAlikeOf(target, deleted);
      return former ? [renameNote(target, former, location)] : [];
    });
  },
};

/** The live workspace that looks like a declared one; of several, the one with the nearest name. */
export function lookAlikeOf(
  target: WorkspaceResource,
  lives: readonly WorkspaceResource[],
): WorkspaceResource | undefined {
  const alike = lives.filter((live) => looksLike(target, live));
  if (alike.length <= 1) return alike[0];
  const names = alike.map(({ name }) => name);
  return alike.find(({ name }) => name === nearest(target.name, names));
}

function looksLike({ name, attributes }: WorkspaceResource, live: WorkspaceResource): boolean {
  // Without a declared project it is created in the default project, whose id no document shows. A rename moves nothing.
  if (attributes.project !== undefined && attributes.project !== live.attributes.project) return false;
  return (
    hasSameSource(attributes, live.attributes) ||
    (nearest(name, [live.name]) !== undefined && hasSameValues(attributes, live.attributes))
  );
}

function hasSameSource(created: Values, live: Values): boolean {
  const repository = created['vcs-repo.identifier'];
  return (
    typeof repository === 'string' &&
    repository === live['vcs-repo.identifier'] &&
    sameAttribute('working-directory', created['working-directory'], live['working-directory'])
  );
}

function hasSameValues(created: Values, live: Values): boolean {
  const declared = Object.entries(created).filter(
    ([path]) => path !== 'remote-state-consumers' && path !== 'project',
  );
  return (
    declared.length >= leastValues &&
    declared.every(([path, value]) => sameAttribute(path, value, live[path]))
  );
}

function renameNote(
  created: WorkspaceResource,
  former: WorkspaceResource,
  location: WorkspaceChange['location'],
): Diagnostic {
  return note(
    'looks-renamed',
    `${created.address} is created and ${former.address} is deleted, and the two look alike`,
    {
      at: { address: created.address, location },
      hint: `to rename it and keep its state, add \`renamed-from: ${former.name}\` and remove any tombstone of "${former.name}"`,
    },
  );
}
