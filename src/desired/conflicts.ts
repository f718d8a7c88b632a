import { isIdOf } from '../model/alias-kind.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, problem, type SourceLocation, showPlace } from '../model/diagnostic.ts';
import { movedLocation } from '../model/files.ts';
import { identity, type Resource, resourcesOf, workspaceAddress } from '../model/state.ts';
import { quote } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import { isSameOrganization } from '../service/address.ts';

/*
 * No two declarations are one object of the service, in one root file or in two of an organization. Each resource claims what it is
 * there and what it was. Two claims of one identity are a conflict, which is reported at both. Projects and grants are compared
 * by ids as far as names are resolved: check again after the look-ups.
 */

type Root = Pick<Configuration, 'desired' | 'service' | 'folder'>;
type Found = readonly [root: Root, problem: Diagnostic];

interface Claim {
  readonly root: Root;
  readonly resource: Resource;
  readonly identity: string;
  readonly key?: 'name' | 'renamed-from' | 'id' | 'address' | undefined;
  readonly written?: string | undefined;
}

export function conflictsOf(roots: readonly Root[], cwd: string): ReadonlyMap<Root, readonly Diagnostic[]> {
  const claims = roots.flatMap((root) =>
    [...root.desired.resources.values()].flatMap((resource) => claimsOf(resource, root)),
  );
  const groups = [...groupBy(claims, ({ identity }) => identity).values()].filter(({ length }) => length > 1);
  const found = [...groups.flatMap((group) => inGroup(group, cwd)), ...inDeletedProjects(roots, cwd)];
  const byRoot = [...groupBy(found, ([root]) => root)];
  return new Map(byRoot.map(([root, problems]) => [root, problems.map(([, problem]) => problem)]));
}

function claimsOf(resource: Resource, root: Root): readonly Claim[] {
  const { kind, address, declared } = resource;
  const former = declared?.renamedFrom;
  const claim = (text: string, key?: Claim['key'], written?: string): Claim => ({
    ...{ root, resource, identity: text, key, written },
  });
  if (kind === 'workspace')
    return former === undefined
      ? [claim(address)]
      : [claim(address), claim(workspaceAddress(former), 'renamed-from', former)];
  // An alias of two projects or teams cannot be in the address of both.
  const ofAddress = claim(address, 'address');
  if (kind === 'team-access') return [claim(`access ${identity(resource)[0]}`), ofAddress];
  const { id, attributes } = resource;
  const named = (key: 'name' | 'renamed-from', name: unknown) =>
    typeof name === 'string' ? [claim(`project name ${name.toLowerCase()}`, key, name)] : [];
  return [
    ...named('name', attributes.name),
    ...named('renamed-from', former),
    ...(id !== undefined && isIdOf('projects', id) ? [claim(`project id ${id}`, 'id', id)] : []),
    ofAddress,
  ];
}

function inGroup(group: readonly Claim[], cwd: string): readonly Found[] {
  return group.flatMap((claim) => {
    const byKey = new Map<Claim['key'], Found>();
    for (const other of group) {
      if (other === claim || byKey.has(other.key) || !areTogether(claim.root, other.root)) continue;
      const found = conflict(claim, other, cwd);
      if (found) byKey.set(other.key, [claim.root, found]);
    }
    return [...byKey.values()];
  });
}

function conflict(claim: Claim, other: Claim, cwd: string): Diagnostic | undefined {
  const { root, resource, key, written } = claim;
  const { kind, name, address } = resource;
  const place = placeOf(other, root, cwd);
  const report = (code: string, message: string, hint?: string) =>
    problem(code, message, { at: { address, location: locationOf(claim) }, hint });
  if (other.resource === resource)
    return key === 'renamed-from'
      ? report(key, `the ${kind} ${quote(name)} cannot be renamed from itself`, fromItself)
      : undefined;
  if (key === 'address') {
    const message = `two root files use the address ${address} for different objects, also at ${place}`;
    const hint = 'give the project or the team another alias in one of them';
    return isOneObject(claim, other) ? undefined : report('duplicate-name', message, hint);
  }
  if (kind === 'workspace' && other.key === 'renamed-from') {
    const message = `${quote(written)} is also the former name of ${quote(other.resource.name)}, at ${place}`;
    return key === undefined ? undefined : report('renamed-from', message);
  }
  if (kind === 'workspace' && key === 'renamed-from') {
    const hint = 'remove renamed-from, or the declaration of the former name';
    return report('renamed-from', `the former name ${quote(written)} is declared, too, at ${place}`, hint);
  }
  const what =
    kind === 'team-access'
      ? 'the access of one team to one project'
      : `the ${kind} ${written === undefined ? quote(name) : quote(written)}`;
  const as = other.resource.name === name ? '' : `as ${quote(other.resource.name)} `;
  return report('duplicate-name', `${what} is declared twice, also ${as}at ${place}`);
}

const fromItself = 'if it is live under another name, write that name; else remove renamed-from';

function areTogether(one: Root, other: Root): boolean {
  return one === other || isSameOrganization(one, other);
}

function isOneObject(one: Claim, other: Claim): boolean {
  const own = (claim: Claim) => claimsOf(claim.resource, claim.root).filter(({ key }) => key !== 'address');
  const identities = new Set(own(one).map(({ identity }) => identity));
  return own(other).some(({ identity }) => identities.has(identity));
}

function locationOf({ resource: { declared, location }, key }: Claim): SourceLocation | undefined {
  return declared?.locations?.[key ?? ''] ?? location;
}

function placeOf(claim: Claim, from: Root, cwd: string): string {
  const location = locationOf(claim);
  if (location === undefined) return '';
  return showPlace(claim.root === from ? location : movedLocation(location, claim.root.folder, cwd));
}

function inDeletedProjects(roots: readonly Root[], cwd: string): readonly Found[] {
  const deleted = roots.flatMap((root) =>
    resourcesOf(root.desired.resources.values(), 'project').flatMap((resource) =>
      resource.declared?.absent ? [{ root, resource, identity: '' }] : [],
    ),
  );
  const byId = groupBy(deleted, ({ resource }) => resource.id);
  return (deleted.length === 0 ? [] : roots).flatMap((root) =>
    [...root.desired.resources.values()].flatMap(({ kind, address, attributes, declared, location }) => {
      if (kind === 'project' || declared?.absent || typeof attributes.project !== 'string') return [];
      const tombstone = byId.get(attributes.project)?.find((one) => areTogether(root, one.root));
      if (!tombstone) return [];
      const place = placeOf(tombstone, root, cwd);
      const message = `the project ${quote(tombstone.resource.name)} is deleted (state: absent at ${place})`;
      const at = { address, location: declared?.locations?.project ?? location };
      return [[root, problem('reference-to-tombstone', message, { at })] as const];
    }),
  );
}
