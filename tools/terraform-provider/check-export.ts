import { attributePlaces, type ResourceType, relationPlaces, resourceTypes } from '../../src/cdktf/places.ts';
import { toTemplate } from '../../src/cdktf/terraform-document.ts';
import type { Configuration } from '../../src/index.ts';
import { isAttributePath } from '../../src/model/attributes.ts';
import { isRecord } from '../../src/model/value.ts';
import { type ArgumentType, type DocumentedArguments, documentedResources } from './documented-arguments.ts';
import { validateResource } from './validate-resource.ts';

type Body = Readonly<Record<string, unknown>>;
/** A file of Terraform as an export writes it. */
export interface Written {
  readonly '//': { readonly 'not-carried-over': readonly string[] };
  readonly import?: readonly { readonly to: string; readonly id: string }[];
  readonly resource?: Partial<Readonly<Record<ResourceType, Readonly<Record<string, Body>>>>>;
}

/** What the provider's documentation, and Terraform's rules for addresses, have against an export. */
export function exportProblems(written: Written): string[] {
  const inResources = resourceTypes.flatMap((type) =>
    Object.entries(written.resource?.[type] ?? {}).flatMap(([name, { lifecycle, ...body }]) => {
      const { ignore_changes: ignored = [] } = (lifecycle ?? {}) as Lifecycle;
      const unknown = ignored
        .filter((argument) => !isKnown(type, argument))
        .map((argument) => `${argument} is ignored`);
      return [...problemsOf(type, body), ...unknown].map((problem) => `${type}.${name}: ${problem}`);
    }),
  );
  const references = JSON.stringify(written.resource ?? {}).matchAll(/"\$\{([\w.-]+)\.id\}"/g);
  const addresses = [
    ...(written.import ?? []).map(({ to }) => to),
    ...[...references].map(([, to]) => to ?? ''),
  ];
  return [
    ...inResources,
    ...addresses.filter((to) => !isResource(written, to)).map((to) => `there is no ${to}`),
  ];
}

interface Lifecycle {
  readonly ignore_changes?: readonly string[];
}

/** Declared settings that are neither in the file nor named among what could not be carried over. */
export function lostSettings(
  { desired }: Configuration,
  written: Written,
  reported: readonly string[],
): string[] {
  return [...desired.resources.values()].flatMap(({ name, kind, attributes, declared }) =>
    kind !== 'workspace' || declared?.absent
      ? []
      : Object.entries(attributes)
          .filter(([path]) => !reported.some((text) => text.includes(`${path} of "${name}" `)))
          .filter(([path, value]) => !isCarried(written, { name, path, value }))
          .map(([path]) => `${path} of ${name}`),
  );
}

/** What the provider's documentation has against a resource. */
function problemsOf(type: ResourceType, body: Body): string[] {
  const { arguments: documented, blocks = {} } = documentedResources[type];
  const plain = Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(blocks, name)));
  const inBlocks = Object.entries(blocks).flatMap(([name, { nesting, arguments: inner }]) => {
    const elements = [body[name] ?? []].flat() as unknown as readonly Body[];
    const shape = body[name] === undefined || Array.isArray(body[name]) === (nesting === 'LIST');
    return [
      ...(shape ? [] : [`${name} has another form`]),
      ...elements.flatMap((one) => problemsIn(inner, one)),
    ];
  });
  return [...problemsIn(documented, plain), ...inBlocks, ...validateResource(type, body)];
}

function problemsIn(documented: DocumentedArguments, body: Body): string[] {
  const unknown = Object.keys(body).filter(
    (name) => !documented[name]?.optional && !documented[name]?.required,
  );
  const missing = Object.entries(documented).filter(
    ([name, { required }]) => required && body[name] === undefined,
  );
  const mistyped = Object.entries(body).filter(([name, value]) => !isOf(documented[name]?.type, value));
  return [
    ...unknown.map((name) => `${name} is not an argument`),
    ...missing.map(([name]) => `${name} is required`),
    ...mistyped.map(([name]) => `${name} has another type`),
  ];
}

function isOf(type: ArgumentType | undefined, value: unknown): boolean {
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'string' || type === 'number') return typeof value === type;
  if (type?.[0] === 'map')
    return isRecord(value) && Object.values(value).every((item) => isOf(type[1] as ArgumentType, item));
  return Array.isArray(value) && value.every((item) => isOf(type?.[1] as ArgumentType, item));
}

function isKnown(type: ResourceType, argument: string): boolean {
  const { arguments: documented, blocks = {} } = documentedResources[type];
  const [, block = '', inner = ''] = /^(\w+)\[0\]\.(\w+)$/.exec(argument) ?? [];
  return argument in documented || argument in blocks || inner in (blocks[block]?.arguments ?? {});
}

function isResource({ resource }: Written, address: string): boolean {
  const [type = '', name = ''] = address.split('.');
  return resource?.[type as ResourceType]?.[name] !== undefined;
}

interface Declared {
  readonly name: string;
  readonly path: string;
  readonly value: unknown;
}

/** Whether it is in its argument; or in none, if the default has the same meaning and Terraform does not ignore it. */
function isCarried({ resource }: Written, { name, path, value }: Declared): boolean {
  // Its own name where that is an identifier.
  const called = { '1st': '_1st_2', '-dash': '_-dash' }[name] ?? name;
  const flag = path.startsWith('setting-overwrites.');
  const place = isAttributePath(path)
    ? attributePlaces[path]
    : relationPlaces[path as keyof typeof relationPlaces];
  if (path === 'vcs-repo') return resource?.tfe_workspace?.[called]?.vcs_repo === undefined;
  if (path === 'tag-bindings') return resource?.tfe_workspace?.[called]?.tags !== undefined;
  if (place === undefined) return false;
  const body = resource?.[place.resource]?.[called];
  if (body === undefined) return false;
  if (flag) return value === (body.execution_mode !== undefined);
  if (path === 'data-retention')
    return body.delete_older_than !== undefined || body.dont_delete !== undefined;
  const [outer = '', inner] = place.argument.split('.');
  const [block] = [body[outer]].flat() as readonly Body[];
  const found = inner === undefined ? body[outer] : block?.[inner];
  const { ignore_changes: ignored = [] } = (body.lifecycle ?? {}) as Lifecycle;
  const isIgnored = ignored.includes(place.argument) || ignored.includes(place.argument.replace('.', '[0].'));
  if (found === undefined) return !isIgnored && isNothing(value);
  // A source is sent on create and never again.
  return isEquivalent(path, value, found) && (path.startsWith('source-') || !isIgnored);
}

function isEquivalent(path: string, value: unknown, found: unknown): boolean {
  if (path === 'auto-destroy-at') return Date.parse(String(found)) === Date.parse(String(value));
  if (path === 'remote-state-consumers')
    return Array.isArray(found) && found.length === exactly(value).length;
  // A managed project is part of the export.
  if (path === 'project' && String(found).startsWith('${tfe_project.')) return true;
  // Live services store tags in lower case.
  if (path === 'tags') return lowerCased(exactly(value)) === lowerCased(found as readonly unknown[]);
  if (Array.isArray(found)) {
    const texts = exactly(value).map((text) => toTemplate(text as string));
    return JSON.stringify([...new Set(texts)].sort()) === JSON.stringify([...new Set(found)].sort());
  }
  return found === (value === null ? '' : toTemplate(value as string | boolean));
}

function lowerCased(tags: readonly unknown[]): string {
  return JSON.stringify([...new Set(tags.map((tag) => String(tag).toLowerCase()))].sort());
}

/** A list of the table, or a rule that means exactly this list. */
function exactly(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : (value as { readonly exactly: readonly unknown[] }).exactly;
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
