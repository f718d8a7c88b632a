import { projectAttributes, workspaceAttributes } from '../../model/attribute-table.ts';
import type { ProjectPath } from '../../model/attribute-values.ts';
import { nestedAttributeSpecs, nestedAttributes, projectPaths } from '../../model/attributes.ts';
import {
  accepting,
  choice,
  type Dictionary,
  either,
  entry,
  fixed,
  flag,
  format,
  integer,
  list,
  type Mapping,
  mapping,
  nullable,
  type Part,
  reference,
  text,
  titled,
  word,
} from '../../model/json-schema.ts';
import type { WrittenBindings } from '../../model/list-rule.ts';
import type { AttributeSpec } from '../../model/rows.ts';
import type { Selector } from '../../model/selector.ts';
import type { ConsumerRef, ProjectValues } from '../../model/state.ts';
import { type Value, withoutUndefined } from '../../model/value.ts';
import { bindingValue, referencedKeys, selectorParts, workspaceName } from './selector-schema.ts';

export type RawList<Item> =
  | readonly Item[]
  | Mapping<Record<'exactly' | 'add' | 'remove', Part<readonly Item[]>>>;

interface ListRuleOptions {
  readonly errorMessage?: string;
  readonly example: string;
  readonly removed?: string;
  readonly default?: readonly string[];
}

function listRule<Item>(
  description: string,
  items: Part<Item>,
  { example, removed = example, ...keywords }: ListRuleOptions,
): Part<RawList<Item>> {
  const like = (shown: string) => (items.$ref === undefined ? { ...items, examples: [shown] } : items);
  const entries = (what: string, shown: string) => list(what, like(shown));
  return {
    description,
    title: 'list rule',
    errorMessage: 'write a list, or a mapping with exactly, add or remove',
    type: ['array', 'object'],
    items: like(example),
    minProperties: 1,
    additionalProperties: false,
    properties: {
      exactly: entries('These entries alone: what lower layers declare is ignored.', example),
      add: entries(
        'Adds these entries to what lower layers declare; without such a list, to the live one.',
        example,
      ),
      remove: entries(
        'Removes these entries from what lower layers declare and from the live list.',
        removed,
      ),
    },
    dependentSchemas: { exactly: { maxProperties: 1 } },
    ...keywords,
  };
}

/** A text or null instead of a mapping is a tag of this name. */
const orTag = (type: string) => [type, 'string', 'null'];
const bindingsOf = (description: string) => ({
  description,
  type: orTag('object'),
  additionalProperties: bindingValue,
  examples: [{ env: 'prod' }],
});

const tagBindings: Part<WrittenBindings> = accepting({
  title: 'tag bindings',
  description:
    'Key/value tags. A mapping: exactly these, and those that layers add; {}: none. A mapping of the defaults or of a template: added to each workspace. {exactly: {...}}: these alone. {add: {...}, remove: [...]}: changes what the layers declare, else the live ones. null is a key without a value. Inherited tags are not part of it. Only with the terraform dialect.',
  type: 'object',
  properties: {
    exactly: bindingsOf('These alone: what lower layers declare is ignored.'),
    add: bindingsOf('Adds these to what lower layers declare; without such tags, to the live ones.'),
    remove: {
      description: 'Removes these keys from what lower layers declare and from the live ones.',
      type: orTag('array'),
      items: entry('staging'),
      examples: [['owner']],
    },
  },
  additionalProperties: bindingValue,
  examples: [{ env: 'prod', 'cost-center': '101' }],
});

const forms =
  'A list of a workspace: exactly these, and those that layers add; []: none. A list of the defaults or of a template: added to each workspace. {exactly: [...]}: these alone. {add: [...], remove: [...]}: changes what the layers declare, else the live list.';

const templateKeys = {
  extends: either(
    { examples: ['service'] },
    word('The template or templates that this one starts from; a later one wins over an earlier one.'),
    list(
      'The template or templates that this one starts from; a later one wins over an earlier one.',
      entry('service'),
    ),
  ),
  unmanaged: list(
    'Keys that are not inherited from lower layers, such as iac-version or vcs-repo.branch: the live value is left alone.',
    entry('iac-version'),
    { minItems: 1 },
  ),
};

const selectingKeys = { when: reference<Selector>('selector') };

const tombstone = (noun: string): Part<'absent'> => ({
  ...choice(`absent: a tombstone, the ${noun} is deleted.`, ['absent']),
  errorMessage: `remove the line to keep the ${noun}: the only value is absent, which deletes it`,
});

const ownKeys = {
  state: tombstone('workspace'),
  delete: choice(
    'How a tombstone deletes: only a workspace that manages no resources (safe), or any (force).',
    ['safe', 'force'],
    'safe',
  ),
  'renamed-from': text('The name that the workspace had before; it is renamed, not deleted and created.', {
    ...workspaceName,
    examples: ['billing'],
  }),
};

const defaultKeys = { protect: flag('Makes any delete or rename of this workspace an error.', false) };

const relationKeys = {
  project: word('The project, by alias, name or id.', 'platform'),
  tags: listRule(`Tags. ${forms}`, entry('prod'), {
    example: 'prod',
    removed: 'staging',
    errorMessage:
      'write a list, or a mapping with exactly, add or remove; key/value tags are under tag-bindings',
  }),
  'tag-bindings': reference('tag-bindings', tagBindings),
  'remote-state-consumers': listRule(
    `The workspaces that may read this one's state. ${forms}`,
    reference<ConsumerRef>('consumer'),
    { example: 'billing-prod', removed: 'reports' },
  ),
  'ssh-key': nullable(word('The SSH key, by alias, name or id; null for none.', 'deploy')),
  lock: nullable(
    either(
      {
        title: 'lock',
        description: 'true or {reason: ...}: locked. false or null: unlocked.',
        examples: [true],
      },
      { type: 'boolean' } as Part<boolean>,
      mapping(
        { required: ['reason'] },
        {
          reason: text('Why it is locked; shown to users who find it locked.', {
            examples: ['change freeze'],
          }),
        },
      ),
    ),
  ),
  'data-retention': nullable({
    ...mapping(
      {
        title: 'data retention policy',
        description:
          "The workspace's own data retention policy (self-hosted services only); null removes it.",
      },
      {
        'delete-older-than-days': integer('Delete data that is older than this number of days.', {
          minimum: 1,
          examples: [30],
        }),
        'dont-delete': fixed('Never delete data.', true),
      },
    ),
    minProperties: 1,
    maxProperties: 1,
  }),
};

function attribute(spec: AttributeSpec): Part {
  const description = [
    spec.deprecated && `Deprecated. ${spec.deprecated}`,
    spec.description,
    spec.reference && 'Give an alias, a name or an id.',
    spec.defaultDescription && `Default on create: ${spec.defaultDescription}.`,
  ]
    .filter(Boolean)
    .join(' ');
  if (spec.type === 'strings') {
    const example = spec.example ?? '';
    return listRule(description, entry(example), { example, default: spec.default as readonly string[] });
  }
  const part = withoutUndefined({
    description,
    type: spec.type,
    enum: spec.values && [...spec.values],
    minLength: spec.notEmpty ? 1 : undefined,
    ...(spec.pattern && format(spec.pattern, spec.errorMessage ?? '')),
    maxLength: spec.maxLength,
    default: spec.default ?? undefined,
    deprecated: spec.deprecated === undefined ? undefined : true,
    examples: spec.example === undefined ? undefined : [spec.example],
  });
  return spec.nullable ? nullable(part) : part;
}

function attributeKeys(rows: Readonly<Record<string, AttributeSpec>>): Readonly<Record<string, Part>> {
  const inside = (prefix: string) =>
    Object.entries(rows)
      .filter(([path]) => path.slice(0, path.indexOf('.') + 1) === prefix)
      .map(([path, spec]) => [path.slice(prefix.length), attribute(spec)] as const);
  const nested = nestedAttributes.map((name) => {
    const { nullable: canBeNull, ...head } = nestedAttributeSpecs[name];
    const part = mapping(head, Object.fromEntries(inside(`${name}.`)));
    return [name, canBeNull ? nullable(part) : part] as const;
  });
  return Object.fromEntries([...inside(''), ...nested]);
}

type ProjectSettings = {
  readonly [Path in Exclude<ProjectPath, 'name'>]: Part<NonNullable<ProjectValues[Path]> | null>;
};
// A reference can also be a name that the service no longer accepts.
const projectSettings = Object.fromEntries(
  projectPaths.filter((path) => path !== 'name').map((path) => [path, attribute(projectAttributes[path])]),
) as ProjectSettings;

export const managedProjectKeys = {
  ...projectSettings,
  'tag-bindings': reference('tag-bindings', tagBindings),
  'renamed-from': word(
    'The name that the project had before; it is renamed, not deleted and created.',
    'Shop',
  ),
  protect: flag('Makes any delete or rename of this project an error.', false),
  state: tombstone('project'),
};

/** A workspace, a template or the workspace defaults; the latter two have fewer keys. */
export type RawLayer = Mapping<
  typeof templateKeys & typeof selectingKeys & typeof ownKeys & typeof defaultKeys & typeof relationKeys
> &
  Dictionary<Value>;

/**
 * The parts of the schema for workspaces and their layers.
 *
 * @param rows the rows of the attributes, for a test with another row
 */
export function layerParts(rows: Readonly<Record<string, AttributeSpec>> = workspaceAttributes) {
  const settings = { ...relationKeys, ...attributeKeys(rows) };
  const common = { ...defaultKeys, ...settings };
  return {
    workspace: accepting<RawLayer>(
      titled(
        'workspace',
        'One workspace. Omitted keys are unmanaged; null clears a value; [] is an empty list.',
        { ...templateKeys, ...ownKeys, ...common },
        { dependentRequired: { delete: ['state'] } },
      ),
    ),
    template: accepting<RawLayer>(
      titled(
        'template',
        'Settings that workspaces take with extends; with when, also every workspace that it selects by declared values.',
        { ...referencedKeys('workspace', { ...templateKeys, ...common }), ...selectingKeys },
      ),
    ),
    'workspace-defaults': accepting<RawLayer>(
      titled(
        'mapping of workspace defaults',
        'Settings of every workspace that this configuration declares; templates and the workspace itself win over them.',
        referencedKeys('workspace', common),
      ),
    ),
    'tag-bindings': tagBindings,
    ...selectorParts,
  };
}
