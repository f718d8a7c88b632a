import { workspaceAttributes } from '../../model/attribute-table.ts';
import {
  nestedAttributeSpecs,
  nestedAttributes,
  selectedNamePattern,
  selectedTagPattern,
  workspaceNamePattern,
} from '../../model/attributes.ts';
import {
  accepting,
  choice,
  type Dictionary,
  dictionary,
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
import type { TagBindings, WrittenBindings } from '../../model/list-rule.ts';
import type { AttributeSpec } from '../../model/rows.ts';
import type { Selector } from '../../model/selector.ts';
import type { ConsumerRef } from '../../model/state.ts';
import { type Value, withoutUndefined } from '../../model/value.ts';

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

const bindingValue = { ...nullable({ type: 'string' }), examples: ['prod'] };
/** A text or null instead of a mapping is a tag of this name. */
const orTag = (type: string) => [type, 'string', 'null'];
const bindingsOf = (description: string) => ({
  description,
  type: orTag('object'),
  additionalProperties: bindingValue,
  examples: [{ env: 'prod' }],
});

export const workspaceName = format(workspaceNamePattern, 'use letters, digits, "-" and "_"');
export const selectedName = format(
  selectedNamePattern,
  'use letters, digits, "-" and "_"; "*" is any run of characters',
);
export const selectedTag = format(selectedTagPattern, 'write each tag: only names have patterns');

export const tagBindings: Part<WrittenBindings> = accepting({
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

export const tagged: Part<TagBindings> = accepting(
  dictionary(
    {
      title: 'tagged',
      description:
        'Key/value tags in effect, inherited ones included; the workspace has all of them. null is a key without a value.',
      minProperties: 1,
      examples: [{ env: 'prod' }],
    },
    bindingValue,
  ),
);

const oneOrMore = (description: string, example: string, keywords = {}) =>
  either(
    { examples: [example] },
    { ...word(description), ...keywords },
    list(description, { ...entry(example), ...keywords } as Part<string>, { minItems: 1 }),
  );

const selectorKeys = {
  tag: oneOrMore('A tag, or a list: workspaces that have all of them.', 'needs-network', selectedTag),
  project: oneOrMore('A project by alias, name or id, or a list: workspaces in any of them.', 'payments'),
  name: oneOrMore(
    'A name with * for any run of characters, or a list: workspaces that match any of them.',
    '*-prod',
    selectedName,
  ),
  tagged: reference('tagged', tagged),
  except: oneOrMore(
    'A name with * for any run of characters, or a list: workspaces that match none of them.',
    'web-dev',
    selectedName,
  ),
};

export const selector: Part<Selector> = accepting({
  ...mapping(
    {
      title: 'selector',
      description: 'Selects workspaces: all keys must match. Expanded when the plan is made.',
    },
    selectorKeys,
  ),
  minProperties: 1,
});

/** The keys of a definition, each as a reference to it. */
const keysOf = (definition: string, keys: Readonly<Record<string, Part>>) =>
  Object.fromEntries(
    Object.entries(keys).map(([key, part]) => [
      key,
      part.$ref === undefined ? reference(`${definition}/properties/${key}`) : part,
    ]),
  );

/** A name or a selector. The keys are repeated: with a reference, an error about one of them would name both forms. */
const nameOrSelector = (
  head: Readonly<Record<string, unknown>>,
  keywords: Readonly<Record<string, unknown>>,
): Part<ConsumerRef> =>
  accepting({
    ...head,
    type: ['string', 'object'],
    ...keywords,
    minProperties: 1,
    additionalProperties: false,
    properties: keysOf('selector', selectorKeys),
  });

export const consumer = nameOrSelector(
  {
    title: 'consumer',
    description:
      'A workspace, by name or id (ws-...); or a selector, all of whose keys must match. It is expanded when the plan is made.',
    examples: ['billing-prod'],
  },
  format(
    workspaceNamePattern,
    'use letters, digits, "-" and "_"; for a pattern, write a selector: {name: "app-*"}',
  ),
);

export const protection = nameOrSelector(
  {
    title: 'entry of guards.protect',
    description:
      'Workspaces by name, with * for any run of characters; or a selector, all of whose keys must match.',
    examples: ['*-prod'],
  },
  selectedName,
);

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

const selectingKeys = { when: reference('selector', selector) };

export const tombstone = (noun: string): Part<'absent'> => ({
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

const defaultKeys = {
  protect: flag('Makes any delete or rename of this workspace an error.', false),
};

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
    reference('consumer', consumer),
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

export function attribute(spec: AttributeSpec): Part {
  const description = [
    ...(spec.deprecated === undefined ? [] : ['Deprecated.', spec.deprecated]),
    spec.description,
    ...(spec.reference ? ['Give an alias, a name or an id.'] : []),
    ...(spec.defaultDescription === undefined ? [] : [`Default on create: ${spec.defaultDescription}.`]),
  ].join(' ');
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
  const inside = (holder: string) =>
    Object.fromEntries(
      Object.entries(rows).flatMap(([path, spec]) =>
        path.startsWith(`${holder}.`) ? [[path.slice(holder.length + 1), attribute(spec)]] : [],
      ),
    );
  const own = Object.entries(rows).flatMap(([path, spec]) =>
    path.includes('.') ? [] : [[path, attribute(spec)]],
  );
  const nested = nestedAttributes.map((name) => {
    const { nullable: canBeNull, ...head } = nestedAttributeSpecs[name];
    const part = mapping(head, inside(name));
    return [name, canBeNull ? nullable(part) : part];
  });
  return Object.fromEntries([...own, ...nested]);
}

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
        { ...keysOf('workspace', { ...templateKeys, ...common }), ...selectingKeys },
      ),
    ),
    'workspace-defaults': accepting<RawLayer>(
      titled(
        'mapping of workspace defaults',
        'Settings of every workspace that this configuration declares; templates and the workspace itself win over them.',
        keysOf('workspace', common),
      ),
    ),
  };
}
