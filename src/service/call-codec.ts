import { projectAttributes } from '../model/attribute-table.ts';
import type { ProjectPath } from '../model/attribute-values.ts';
import { isAttributePath, projectExecutionPaths, projectPaths } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import type { TagBindings } from '../model/list-rule.ts';
import { isPermissionPath } from '../model/permissions.ts';
import type { Call, Operation, Written } from '../model/plan.ts';
import { wireNameOf } from '../model/rows.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import { relatedId } from './documents.ts';
import { bindingsBody, consumersBody, retentionBody, sshKeyBody, tagsBody } from './endpoints.ts';
import { attributesFromWire, permissionsFromWire, permissionsToWire, settingsToWire } from './wire-codec.ts';

interface BodyContext {
  readonly dialect: Dialect;
  readonly id?: string | undefined;
}

export function bodyOf(operation: Operation, written: Written, context: BodyContext): Value | undefined {
  return codecs[operation].encode(written, context);
}

/**
 * What a call writes, by its body; by its path for a move. A body can contain more: it is what Attune sends only if it equals the
 * {@link bodyOf} of the result.
 *
 * @throws {NetworkError} if an attribute has another type than the interface gives it.
 */
export function writtenBy(
  { operation, path, body }: Pick<Call, 'operation' | 'path' | 'body'>,
  dialect: Dialect,
): Written {
  return codecs[operation].decode(isRecord(body) ? body : {}, dialect, path);
}

/** The body with other ids of the resources that it lists, or of the project of the only one. */
export function mapIds(body: Value, idFor: (id: string) => string): Value {
  const mapped = (item: unknown) =>
    isRecord(item) && typeof item.id === 'string' ? { ...item, id: idFor(item.id) } : item;
  if (!isRecord(body)) return body;
  const { data } = body;
  if (Array.isArray(data)) return { ...body, data: data.map(mapped) } as Value;
  const relationships = inside(body, 'data', 'relationships');
  const project = inside(relationships, 'project');
  if (!isRecord(data) || !isRecord(project.data)) return body;
  const related = { ...relationships, project: { ...project, data: mapped(project.data) } };
  return { ...body, data: { ...data, relationships: related } } as Value;
}

export function idsIn(body: Value = null): readonly string[] {
  const ids: string[] = [];
  mapIds(body, (id) => {
    ids.push(id);
    return id;
  });
  return ids;
}

type Body = Readonly<Record<string, unknown>>;

interface CallCodec {
  encode(written: Written, context: BodyContext): Value | undefined;
  decode(body: Body, dialect: Dialect, path: string): Written;
}

const upsert: CallCodec = {
  encode: ({ bindings }) => bindingsBody(bindings && 'add' in bindings ? bindings.add : {}),
  decode: (body) => ({ values: {}, bindings: { add: bindingsIn(itemsIn(body)), remove: [] } }),
};

const [modePath, poolPath] = projectExecutionPaths;
const projectName = (path: ProjectPath) => wireNameOf(projectAttributes, path, 'terraform');

/** A mode becomes the project's own; without one, the project inherits both from its organization. */
const project = resourceCodec('projects', {
  toWire: (values) =>
    Object.fromEntries(
      projectPaths.flatMap((path): [string, Value][] => {
        const { [path]: value } = values;
        if (path === modePath && value === null)
          return [['setting-overwrites', { [modePath]: false, [poolPath]: false }]];
        return value === undefined ? [] : [[projectName(path), value]];
      }),
    ),
  fromWire({ 'setting-overwrites': flags, ...wire }) {
    const sent = projectPaths.flatMap((path) => {
      const { [projectName(path)]: value } = wire as Values;
      return value === undefined ? [] : [[path, value] as const];
    });
    return { ...Object.fromEntries(sent), ...(flags !== undefined && { [modePath]: null }) };
  },
});

const settings: Shape = {
  toWire: ({ name, 'vcs-repo': repository, ...values }, dialect) => ({
    ...(name !== undefined && { name }),
    ...settingsToWire(entriesOf(values, isAttributePath), dialect),
    ...(repository === null && { 'vcs-repo': null }),
  }),
  fromWire: (wire, dialect) => ({
    ...(typeof wire.name === 'string' && { name: wire.name }),
    ...attributesFromWire(wire, dialect, 'sent', { asSent: true }),
    ...(wire['vcs-repo'] === null && { 'vcs-repo': null }),
  }),
  targets: { project: 'projects' },
};

const access: Shape = {
  toWire: ({ access = null, ...values }, dialect) => ({
    access,
    ...permissionsToWire(entriesOf(values, isPermissionPath), dialect),
  }),
  fromWire: (wire, dialect) => ({
    access: (wire.access ?? null) as Value,
    ...permissionsFromWire(wire, dialect, 'sent'),
  }),
};

const codecs: Readonly<Record<Operation, CallCodec>> = {
  createProject: project,
  updateProject: project,
  upsertProjectBindings: upsert,
  recoverWorkspace: withoutBody({}),
  createWorkspace: resourceCodec('workspaces', { ...settings, hasTags: true }),
  unlockWorkspace: withoutBody({ lock: { locked: false } }),
  forceUnlockWorkspace: withoutBody({ lock: { locked: false } }),
  moveWorkspaces: {
    encode: (_written, { id = '' }) => consumersBody([id]),
    decode: (_body, _dialect, path) => {
      const [, to] = /^\/projects\/([^/]+)\/relationships\/workspaces$/.exec(path) ?? [];
      return { values: to === undefined ? {} : { project: to } };
    },
  },
  updateWorkspace: resourceCodec('workspaces', settings),
  upsertBindings: upsert,
  addTags: listCodec('tags', 'add'),
  removeTags: listCodec('tags', 'remove'),
  replaceConsumers: listCodec('consumers', 'exactly'),
  addConsumers: listCodec('consumers', 'add'),
  removeConsumers: listCodec('consumers', 'remove'),
  assignSshKey: {
    encode: ({ values }) => sshKeyBody(values['ssh-key'] ?? null),
    decode: (body) => ({ values: { 'ssh-key': (inside(body, 'data', 'attributes').id ?? null) as Value } }),
  },
  setRetention: {
    encode: ({ values }) => retentionBody(values['data-retention'] ?? null),
    decode: (body) => ({ values: { 'data-retention': retentionIn(inside(body, 'data')) } }),
  },
  removeRetention: withoutBody({ 'data-retention': null }),
  createGrant: resourceCodec('team-projects', {
    ...access,
    targets: { project: 'projects', team: 'teams' },
    needsTargets: true,
  }),
  updateGrant: resourceCodec('team-projects', { ...access, hasId: true }),
  deleteGrant: withoutBody({}),
  lockWorkspace: {
    // Plain JSON and not a JSON:API document (interface, section 4.3).
    encode: ({ values: { lock } }) =>
      isRecord(lock) && typeof lock.reason === 'string' ? { reason: lock.reason } : undefined,
    decode: ({ reason }) => ({
      values: { lock: { locked: true, ...(typeof reason === 'string' && { reason }) } },
    }),
  },
  deleteWorkspace: withoutBody({}),
  deleteProject: withoutBody({}),
};

function withoutBody(values: Values): CallCodec {
  return { encode: () => undefined, decode: () => ({ values }) };
}

interface Shape {
  toWire(values: Values, dialect: Dialect): Values;
  fromWire(wire: Body, dialect: Dialect): Values;
  readonly targets?: Readonly<Record<string, string>>;
  /** Whether the body of a call without one of them is not one that Attune sends. */
  readonly needsTargets?: boolean;
  readonly hasTags?: boolean;
  readonly hasId?: boolean;
}

function resourceCodec(type: string, shape: Shape): CallCodec {
  const { toWire, fromWire, targets = {}, needsTargets = false, hasTags = false, hasId = false } = shape;
  return {
    encode({ values, tags, bindings }, { dialect, id = null }) {
      const related: Values = {
        ...Object.fromEntries(
          Object.entries(targets).flatMap(([path, target]) => {
            const value = values[path];
            return value === undefined ? [] : [[path, { data: { type: target, id: value } }]];
          }),
        ),
        ...(hasTags && tags && 'add' in tags && { tags: tagsBody(tags.add) }),
        ...(bindings && 'exactly' in bindings && { 'tag-bindings': bindingsBody(bindings.exactly) }),
      };
      const relationships = Object.keys(related).length > 0 && { relationships: related };
      return { data: { ...(hasId && { id }), type, attributes: toWire(values, dialect), ...relationships } };
    },
    decode(body, dialect) {
      const relationships = inside(body, 'data', 'relationships');
      const { tags, 'tag-bindings': bindings } = relationships;
      const related = Object.keys(targets).flatMap((path) => {
        const id = relatedId({ relationships }, path);
        return id || needsTargets ? [[path, id ?? null]] : [];
      });
      return {
        values: { ...fromWire(inside(body, 'data', 'attributes'), dialect), ...Object.fromEntries(related) },
        ...(hasTags && isRecord(tags) && { tags: { add: itemsIn(tags).map(tagName), remove: [] } }),
        // They replace all existing ones.
        ...(isRecord(bindings) && { bindings: { exactly: bindingsIn(itemsIn(bindings)) } }),
      };
    },
  };
}

function listCodec(path: 'tags' | 'consumers', part: 'exactly' | 'add' | 'remove'): CallCodec {
  const encode = path === 'tags' ? tagsBody : consumersBody;
  const entryOf = path === 'tags' ? tagName : ({ id }: Body) => String(id);
  return {
    encode({ [path]: rule = { exactly: [] } }) {
      const sent: Readonly<Partial<Record<typeof part, readonly string[]>>> = rule;
      return encode(sent[part] ?? []);
    },
    decode(body) {
      const items = itemsIn(body).map(entryOf);
      const rule = part === 'exactly' ? { exactly: items } : { add: [], remove: [], [part]: items };
      return { values: {}, [path]: rule };
    },
  };
}

function entriesOf<Path extends string>(
  values: Values,
  isPath: (path: string) => path is Path,
): (readonly [Path, Value])[] {
  return Object.entries(values).flatMap(([path, value]) => (isPath(path) ? [[path, value] as const] : []));
}

function inside(body: Body, ...path: readonly string[]): Body {
  return path.reduce((holder: Body, name) => (isRecord(holder[name]) ? holder[name] : {}), body);
}

function itemsIn({ data }: Body): readonly Body[] {
  return Array.isArray(data) ? data.filter((item) => isRecord(item)) : [];
}

function tagName(item: Body): string {
  return String(inside(item, 'attributes').name);
}

export function bindingsIn(items: readonly { readonly attributes?: unknown }[]): TagBindings {
  return Object.fromEntries(
    items.flatMap(({ attributes }) => {
      const { key, value } = isRecord(attributes) ? attributes : {};
      const given = typeof value === 'string' && value !== '' ? value : null;
      return typeof key === 'string' ? [[key, given]] : [];
    }),
  );
}

export function retentionIn(policy: { readonly type?: unknown; readonly attributes?: unknown }): Value {
  if (policy.type === 'data-retention-policy-dont-deletes') return { 'dont-delete': true };
  const attributes = isRecord(policy.attributes) ? policy.attributes : {};
  // The service's own documents use both spellings.
  const days = attributes['delete-older-than-n-days'] ?? attributes.deleteOlderThanNDays;
  return Number.isInteger(days) && Number(days) >= 1 ? { 'delete-older-than-days': Number(days) } : null;
}
