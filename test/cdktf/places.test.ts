import { expect, test } from 'vitest';
import {
  attributePlaces,
  permissionPlace,
  relationPlaces,
  unknownArguments,
} from '../../src/cdktf/places.ts';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import { attributePaths, workspaceRelations } from '../../src/model/attributes.ts';
import { permissionPaths, permissions } from '../../src/model/permissions.ts';
import {
  type DocumentedArgument,
  type DocumentedArguments,
  documentedResources,
  permissionBlocks,
} from '../../tools/terraform-provider/documented-arguments.ts';

/** An argument by its name; of a block or a list of flags with the dot. */
function documented(
  resource: keyof typeof documentedResources,
  argument: string,
): DocumentedArgument | undefined {
  const { arguments: plain, blocks = {} } = documentedResources[resource];
  const [outer = '', inner] = argument.split('.');
  if (inner === undefined) return plain[outer];
  const block: DocumentedArguments | undefined = blocks[outer]?.arguments;
  return block?.[inner];
}

/** What leaving an argument out does, by its documentation. */
function leftOut({ computed, cleared, default: byDefault }: DocumentedArgument): string | boolean {
  if (typeof byDefault === 'boolean') return byDefault;
  return computed && !cleared ? 'kept' : 'cleared';
}

const flags = attributePaths.filter((path) => path.startsWith('setting-overwrites.'));

test('the table of places has every attribute and every relation', () => {
  expect(Object.keys(attributePlaces).sort()).toEqual([...attributePaths].sort());
  expect(Object.keys(relationPlaces)).toEqual([...workspaceRelations]);
});

test.each(attributePaths.filter((path) => !flags.includes(path)))(
  'the place of the attribute %s is a documented argument',
  (path) => {
    const { resource, argument, leftOut: reported } = attributePlaces[path];
    const found = documented(resource, argument);
    const types = { string: 'string', boolean: 'bool', strings: ['list', 'string'] };
    expect(found?.type).toEqual(types[workspaceAttributes[path].type]);
    expect(found && leftOut(found)).toBe(reported);
  },
);

test('the table of places leaves the overwrite flags to the provider, which computes them', () => {
  const { type, optional } = documentedResources.tfe_workspace_settings.arguments.overwrites ?? {};
  expect(optional).toBeUndefined();
  expect(flags.map((path) => attributePlaces[path].argument.split('.')[1])).toEqual(
    Object.keys((type as never)[1][1]),
  );
});

test.each(workspaceRelations.filter((relation) => relationPlaces[relation]))(
  'the place of the relation %s is a documented argument or block',
  (relation) => {
    const { resource, argument, leftOut: reported } = relationPlaces[relation] ?? {};
    if (resource === undefined || argument === undefined) throw new Error('it has a place');
    const found = documented(resource, argument);
    if (found) expect(leftOut(found)).toBe(reported);
    else expect(documentedResources[resource].blocks).toHaveProperty(argument);
  },
);

test.each(permissionPaths)('the place of %s is a documented permission', (path) => {
  const [block, argument] = permissionPlace(path);
  const blocks: Readonly<Record<string, DocumentedArguments>> = permissionBlocks;
  const [first] = permissions[path].values;
  expect(blocks[block]?.[argument]?.type).toBe(typeof first === 'boolean' ? 'bool' : 'string');
});

test('every default of the provider for a workspace is written or ignored', () => {
  const defaults = Object.entries(documentedResources.tfe_workspace.arguments)
    .filter(([, argument]) => argument.default !== undefined)
    .map(([name]) => name);
  const places = [...Object.values(attributePlaces), ...Object.values(relationPlaces)];
  const known = places.map((place) => place?.argument);
  expect(defaults.filter((name) => !known.includes(name)).sort()).toEqual([...unknownArguments].sort());
});
