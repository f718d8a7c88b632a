import { selectedNamePattern, selectedTagPattern, workspaceNamePattern } from '../../model/attributes.ts';
import {
  accepting,
  dictionary,
  either,
  entry,
  flag,
  format,
  list,
  mapping,
  nullable,
  type Part,
  reference,
  titled,
  word,
} from '../../model/json-schema.ts';
import type { TagBindings } from '../../model/list-rule.ts';
import type { Selector } from '../../model/selector.ts';
import type { ConsumerRef } from '../../model/state.ts';

export const bindingValue: Part = { ...nullable({ type: 'string' }), examples: ['prod'] };

export const workspaceName = format(workspaceNamePattern, 'use letters, digits, "-" and "_"');
const selectedName = format(
  selectedNamePattern,
  'use letters, digits, "-" and "_"; "*" is any run of characters',
);
const selectedTag = format(selectedTagPattern, 'write each tag: only names have patterns');

const tagged: Part<TagBindings> = accepting(
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

const selector: Part<Selector> = accepting({
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
export const referencedKeys = (definition: string, keys: Readonly<Record<string, Part>>) =>
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
    properties: referencedKeys('selector', selectorKeys),
  });

const consumer = nameOrSelector(
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

const protection = nameOrSelector(
  {
    title: 'entry of guards.protect',
    description:
      'Workspaces by name, with * for any run of characters; or a selector, all of whose keys must match.',
    examples: ['*-prod'],
  },
  selectedName,
);

export const scope = titled(
  'scope',
  'The live workspaces that this configuration owns: in any of the projects, with all of the tags, matching any of the names. A part that is not given matches all. Every workspace that is declared, moved, renamed, deleted or pruned has to be in scope before the plan, if it is live, and after it. Team access of projects outside scope.projects is outside too.',
  {
    projects: list('Projects, by alias, name or id; the workspace is in any of them.', entry('platform'), {
      minItems: 1,
    }),
    tags: list('Tags; the workspace has all of them.', { ...entry('prod'), ...selectedTag } as Part<string>, {
      minItems: 1,
    }),
    names: list(
      'Names, with * for any run of characters; the workspace matches any of them.',
      { ...entry('*-prod'), ...selectedName } as Part<string>,
      { minItems: 1 },
    ),
    tagged: reference('tagged', tagged),
    adopt: list(
      'Names of live workspaces outside the scope that this configuration takes over. They have to be in scope after the plan.',
      {
        type: 'string',
        ...format(
          workspaceNamePattern,
          'write each name in letters, digits, "-" and "_": scope.adopt has no patterns',
        ),
        examples: ['billing-prod'],
      } as Part<string>,
      { default: [], examples: [['billing-prod']] },
    ),
    enforce: flag(
      'Whether a declaration outside the scope is an error of the plan; false makes it a warning.',
      true,
    ),
  },
  { examples: [{ projects: ['platform', 'payments'], tags: ['managed'] }] },
);

export const selectorParts = { tagged, selector, consumer, protection };
