import { type EffectiveField, effectiveFields } from '../desired/explain.ts';
import type { Live } from '../live/read-live.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import { coupledPaths, isRepositoryPath, sharingSwitches } from '../model/attributes.ts';
import type { Change, FieldChange, GrantChange } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import type { AcceptedField } from '../model/results.ts';
import { nameOfAddress, namesOfGrant } from '../model/state.ts';
import { sameValue, type Value } from '../model/value.ts';
import { consumerName } from '../resolve/labels.ts';
import type { FileTexts } from './checked-texts.ts';
import { declare } from './declare.ts';
import { type Edit, pairAt } from './edit-yaml.ts';
import { type Entry, entryValue, exact, type FileLabels, keysOf, nested } from './entry.ts';

export interface AcceptContext {
  /** With names resolved. */
  readonly configuration: Configuration;
  readonly live: Live;
  /** Of live resources. */
  readonly labels: FileLabels;
  /** Whether a field of an address is accepted. The path of a whole resource is empty. */
  readonly chosen: (address: string, path: string) => boolean;
  readonly texts: FileTexts;
}

export interface Acceptance {
  readonly address: string;
  readonly fields: readonly AcceptedField[];
  readonly edits: readonly Edit[];
}

export function refusal(address: string, reason: string, hint: string): Diagnostic {
  return problem('not-acceptable', `${address} is not accepted: ${reason}`, { at: { address }, hint });
}

export function editsOf(change: Change, context: AcceptContext): Acceptance | Diagnostic | undefined {
  const { kind, address, action, location } = change;
  const fields = change.fields.filter(({ path }) => context.chosen(address, path));
  if (action === 'update' ? fields.length === 0 : !context.chosen(address, '')) return undefined;
  if (kind === 'team-access' && action !== 'create') return grantEdits(change, fields, context);
  if (location === undefined) return undefined;
  const place: Place = { file: location.file, path: blockOf(change) };
  if (action === 'update') return valueEdits(change, fields, { ...context, place });
  if (action === 'create') {
    const [after, value] = kind === 'team-access' ? ['none', 'none'] : [null, undefined];
    return wholeEdit(address, ['declared', after], { ...place, value });
  }
  // A tombstone whose resource is live.
  const path = kind === 'project' ? [...place.path, 'state'] : place.path;
  return wholeEdit(address, ['absent', 'live'], { ...place, path, value: undefined });
}

type Place = Pick<Edit, 'file' | 'path'>;

function blockOf({ kind, address }: Change): readonly string[] {
  const name = nameOfAddress(address);
  if (kind !== 'team-access') return [kind === 'project' ? 'projects' : 'workspaces', name];
  const { project, team } = namesOfGrant(name);
  return ['team-access', project, team];
}

function wholeEdit(address: string, [before, after]: readonly [Value, Value], edit: Edit): Acceptance {
  return { address, fields: [{ path: '', before, after }], edits: [edit] };
}

function valueEdits(
  change: Change,
  fields: readonly FieldChange[],
  { place, configuration, live, labels }: AcceptContext & { readonly place: Place },
): Acceptance | Diagnostic | undefined {
  const { address, kind, live: resource } = change;
  if (resource === undefined) return undefined;
  if (kind === 'workspace' && fields.some(({ path }) => path === 'name'))
    return refusal(
      address,
      'its rename is not applied yet',
      `apply the rename, or remove renamed-from and call it ${resource.name} in the file`,
    );
  const entry = declare(resource, labels);
  const effective = new Map(effectiveFields(configuration, address).map((field) => [field.path, field]));
  const isOwn = (path: string) => effective.get(path)?.origin.layer === 'workspace';
  const lost = fields.find(({ path }) => entry.unfit.has(path) && !isOwn(path));
  if (lost)
    return refusal(
      address,
      `no file can hold the live value of ${lost.path}`,
      'run `attune apply` to restore the declared value, or remove the key from its layer',
    );
  const paths = fields.map(({ path }) => path);
  const written = (kind === 'workspace' ? coupledWith(paths, entry) : paths).flatMap((path) => {
    const value = exactValue(path, entry, effective.get(path));
    return value === undefined && !isOwn(path) ? [] : { path, value };
  });
  const accepted = (field: FieldChange) => acceptedField(field, entry, live, effective.get(field.path));
  const coupled = written
    .filter(({ path }) => !paths.includes(path))
    .map(
      ({ path, value = null }) =>
        change.fields.find((field) => field.path === path) ?? { path, before: value, after: null },
    )
    .map(accepted)
    .filter(({ before, after }) => !sameValue(before, after));
  return {
    address,
    fields: [...fields.map(accepted), ...coupled],
    edits: written.map(({ path, value }) => ({ ...place, path: [...place.path, ...keysOf(path)], value })),
  };
}

/** The live value in a form that no layer below changes. */
function exactValue(path: string, entry: Entry, declared: EffectiveField | undefined): Value | undefined {
  const value = entry.values.get(path);
  if (path === 'vcs-repo' && value !== null) {
    const keys = [...entry.values].filter(([key]) => isRepositoryPath(key) && !entry.usual.has(key));
    return nested(keys)[path] ?? {};
  }
  const isBelow = declared && (declared.origin.layer !== 'workspace' || declared.lower.length > 0);
  return value === undefined || !isBelow ? value : exact(path, value);
}

function acceptedField(
  { path, before, after, add, remove }: FieldChange,
  entry: Entry,
  live: Live,
  declared: EffectiveField | undefined,
): AcceptedField {
  const value = entry.values.get(path) ?? before;
  const named = (items: readonly string[]) =>
    path === 'remote-state-consumers' ? items.map((item) => consumerName(item, live.names)) : items;
  const isList = Array.isArray(value) || path === 'tag-bindings';
  const entries = isList && add && remove ? { add: named(remove), remove: named(add) } : {};
  const origin = declared?.origin;
  const isLower = origin !== undefined && origin.layer !== 'workspace';
  return {
    path,
    before: origin ? (origin.value ?? null) : after,
    after: value,
    ...entries,
    overrides: isLower ? { layer: origin.layer, location: origin.location } : undefined,
  };
}

/** The paths of a workspace that have to be written together with the changed ones. */
function coupledWith(changed: readonly string[], entry: Entry): readonly string[] {
  const { values } = entry;
  // Without a repository there is nothing to declare below the key.
  if (changed.some(isRepositoryPath) && values.get('vcs-repo') === null)
    return coupledWith([...changed.filter((path) => !isRepositoryPath(path)), 'vcs-repo'], entry);
  const groups = new Set<string | undefined>(['execution', 'vcs-credentials', 'scheduled-destroy']);
  const needed = coupledPaths(changed).filter(
    (path) => groups.has(workspaceAttributes[path].coupling) && !entry.usual.has(path),
  );
  const isShared = sharingSwitches.some((path) => changed.includes(path) && values.get(path) === true);
  const lists = isShared ? ['remote-state-consumers'] : [];
  return [...new Set([...changed, ...needed, ...lists])];
}

function grantEdits(
  change: GrantChange,
  fields: readonly FieldChange[],
  { configuration, labels, texts }: AcceptContext,
): Acceptance | Diagnostic | undefined {
  const { address, action, live, location } = change;
  if (live === undefined) return undefined;
  const { location: _location, declared } = configuration.desired.resources.get(address) ?? {};
  const entry = declare(action === 'update' && declared ? { ...live, declared } : live, labels);
  if (entry.refusal !== undefined)
    return refusal(
      address,
      'no file can hold its live permissions',
      'run `attune apply` to restore the declared access, or change the grant on the service',
    );
  const path = location ? blockOf(change) : entry.path;
  const homes = [...texts].filter(([, text]) => pairAt(text, path.slice(0, 2)));
  const place: Place = { file: location?.file ?? (homes[0] ?? [...texts][0])?.[0] ?? '', path };
  const value = entryValue(entry);
  if (action === 'delete') return wholeEdit(address, ['none', value], { ...place, value });
  // Permissions that are not chosen stay as they are declared.
  const isPart =
    live.attributes.access === 'custom' &&
    configuration.layered.get(address)?.role === undefined &&
    !fields.some((field) => field.path === 'access');
  return {
    address,
    fields: fields.map((field) => ({ path: field.path, before: field.after, after: field.before })),
    edits: isPart
      ? fields.map(({ path: key, before }) => ({ ...place, path: [...path, ...keysOf(key)], value: before }))
      : [{ ...place, value }],
  };
}
