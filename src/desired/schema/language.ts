import { dialects, type Feature, featureNames } from '../../model/dialect.ts';
import {
  accepting,
  choice,
  type Data,
  dictionary,
  either,
  entry,
  fixed,
  flag,
  format,
  integer,
  list,
  mapping,
  number,
  type Part,
  reference,
  text,
  titled,
  word,
} from '../../model/json-schema.ts';
import type { AttributeSpec } from '../../model/rows.ts';
import { grant, level, role } from './access-schema.ts';
import { holdParts, holdSections } from './hold-schema.ts';
import { layerParts, managedProjectKeys, type RawLayer } from './layer-schema.ts';
import { policy, policyList, prune, receiver, ruleSections } from './rule-schema.ts';
import { scope, workspaceName } from './selector-schema.ts';

/*
 * The configuration language: `npm run generate` writes schemas/attune.schema.json from it, and the types of the data that
 * the schema accepts are inferred from it. Nothing of it is loaded at run time.
 */

const version: Part<1> = {
  ...fixed('The version of the configuration language.', 1),
  errorMessage: 'write 1: this version of Attune supports no other version of the configuration language',
};

const service = titled('service mapping', 'Where the service is and how to talk to it.', {
  address: text(
    "The service's address without /api/v2, or the word embedded for the service that comes with Attune. --address and ATTUNE_ADDRESS come first.",
    {
      pattern: String.raw`^(embedded|https?://(?!.*/api/v2/?$)[^\s/?#@]+(/[^\s?#]*)?)$`,
      errorMessage: 'write https://<host> without /api/v2, user or query; or the word embedded',
      examples: ['embedded', 'https://iac.example.com'],
    },
  ),
  dialect: choice(
    'How the service spells a few names: iac (neutral) or terraform. When it is not given, it is taken from the first workspace that the service returns.',
    dialects,
  ),
  rate: number(
    'The most requests per second. When it is not given, what the service announces, else unlimited.',
    { exclusiveMinimum: 0, examples: [20] },
  ),
  parallelism: integer('The most requests at a time.', { minimum: 1, default: 10, examples: [10] }),
  timeout: number('Seconds that one attempt of a request may take.', {
    exclusiveMinimum: 0,
    default: 30,
    examples: [30],
  }),
  without: list(
    'Features that the service does not offer. Attune detects most of them from its answers; naming them here saves the requests.',
    accepting<Feature>({ type: 'string', enum: [...featureNames] }),
    { uniqueItems: true },
  ),
  data: word(
    'Embedded service only: the file that keeps its data, relative to this file.',
    '.attune/embedded.json',
  ),
  seed: word(
    'Embedded service only: the file that it starts with when there is no data yet, relative to this file.',
    'seed.yaml',
  ),
});

const alias = either(
  {
    title: 'alias',
    description:
      'The id; or the name that the thing has on the service, compared exactly. {name: ...} is a name even where it looks like an id.',
    examples: ['prj-7hWq'],
  },
  word(''),
  mapping(
    {
      required: ['name'],
      errorMessage: 'keep "name" alone: Attune refers to what exists, and does not create or change it',
    },
    { name: word('The name that the thing has on the service.', 'Platform') },
  ),
);

const project = either(
  {
    title: 'project',
    description:
      'The id; or the name that the project has on the service; or with manage: true a project that Attune creates, updates and deletes.',
    examples: ['platform'],
  },
  word(''),
  mapping(
    {},
    {
      name: word('The name on the service.', 'Payments Platform'),
      id: word('The id, for a project whose name may change.', 'prj-7hWq'),
      manage: flag(
        'Whether Attune creates, updates and deletes this project. Any key but name and id needs it.',
        false,
      ),
      ...managedProjectKeys,
    },
  ),
);

const aliasPattern = {
  propertyNames: format(/^[^/]+$/, 'remove "/", which separates project and team in addresses'),
};

const aliasesOf = (description: string) =>
  dictionary({ description, ...aliasPattern }, reference('alias', alias));

const layer = (name: 'workspace' | 'template' | 'workspace-defaults'): Part<RawLayer> => reference(name);

const sections = {
  projects: dictionary(
    {
      description:
        'Projects by alias: the id (prj-...), the name to look up, or a project that Attune manages.',
      ...aliasPattern,
    },
    reference('project', project),
  ),
  teams: aliasesOf('Aliases of teams: alias -> id (team-...), or the name to look up.'),
  'ssh-keys': aliasesOf('Aliases of SSH keys: alias -> id (sshkey-...), or the name to look up.'),
  'agent-pools': aliasesOf('Aliases of agent pools: alias -> id (apool-...), or the name to look up.'),
  'vcs-connections': aliasesOf(
    'Aliases of VCS connections, for oauth-token-id: alias -> id (ot-...), or the name to look up.',
  ),
  templates: dictionary(
    {
      description:
        'Named sets of workspace settings; a workspace takes them with extends, or when their selector matches it.',
    },
    layer('template'),
  ),
  workspaces: dictionary(
    {
      description: 'Workspaces by name. An attribute that is not named is left alone.',
      propertyNames: workspaceName,
    },
    layer('workspace'),
  ),
  roles: dictionary(
    {
      description: "Named sets of permissions; team-access takes a role's name wherever it takes a level.",
      ...aliasPattern,
    },
    reference('role', role),
  ),
  'team-access': dictionary(
    {
      description:
        'Access of teams to projects: project -> team -> level, both by alias, name or id. A project with {} names no team: together with prune.team-access all lose their access.',
    },
    dictionary(
      { title: 'mapping of teams', description: 'Team, by alias, name or id -> level.' },
      reference('grant', grant),
    ),
  ),
  policies: policyList,
};

/** References to the sections, each of which is a definition, so that the parts of a file can be checked one by one. */
const sectionKeys = Object.fromEntries(
  Object.keys(sections).map((name) => [name, reference(name)]),
) as unknown as typeof sections;

const place = text(
  "Where in a program something was made: <file, relative to this one>:<line>:<column> <construct's path>.",
);

const problem = titled(
  'problem',
  'What a program found wrong.',
  {
    code: word('As in docs/diagnostics.md.'),
    message: word('What is wrong.'),
    hint: text('What to do.'),
    place: reference('place', place),
  },
  { required: ['code', 'message', 'place'] },
);

const synthesized = titled(
  'synthesized mapping',
  'Written by attune/constructs; do not edit. It maps declarations to lines of the program, for errors and plans.',
  {
    places: dictionary(
      { description: 'JSON pointer into this file -> place in the program.' },
      reference('place', place),
    ),
    problems: list('What the program itself found wrong.', reference('problem', problem)),
  },
);

const defaults = titled(
  'mapping of defaults',
  'Defaults for every resource that this configuration declares. Templates and resources override them. Declared once over all files.',
  { workspace: layer('workspace-defaults') },
);

const rootFile = titled(
  'root file',
  'One organization: its workspaces, tags, state sharing and team access.',
  {
    attune: version,
    organization: text('The name of the organization that this file declares.', {
      pattern: String.raw`^(?!\.{1,2}$)[^/\s\u0000-\u001f\u007f-\u009f]+$`,
      errorMessage:
        'write the name from the URL of the organization, without spaces, slashes and control characters',
      examples: ['acme'],
    }),
    service: reference('service', service),
    include: list(
      'More files, as globs relative to this file and inside its folder; with an attune.repository.yaml above, also ../ inside that folder. They hold defaults, aliases, templates, workspaces and team access.',
      {
        ...entry('workspaces/*.yaml'),
        ...format(/^[^!]/, 'list the files to include: patterns that exclude files are not supported'),
      } as Part<string>,
      { default: [] },
    ),
    defaults: reference('defaults', defaults),
    ...sectionKeys,
    scope,
    prune,
    synthesized,
    ...ruleSections,
    ...holdSections,
  },
  { required: ['attune', 'organization'] },
);

const includedFile = titled(
  'included file',
  'A file named under include: defaults, aliases, templates, workspaces, roles, team access and policies.',
  { defaults: reference('defaults', defaults), ...sectionKeys },
);

const policyFile = titled(
  'policy file',
  'A file that is named with --policy.',
  { attune: version, policies: reference('policies', policyList) },
  { required: ['policies'] },
);

export function configurationSchema(rows?: Readonly<Record<string, AttributeSpec>>): Part {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...rootFile,
    $defs: {
      service,
      defaults,
      'included-file': includedFile,
      'policy-file': policyFile,
      ...sections,
      alias,
      project,
      ...layerParts(rows),
      ...holdParts,
      role,
      grant,
      level,
      policy,
      receiver,
      place,
      problem,
    },
  };
}

/*
 * The data of a file once the schema has passed it. Any key may also be `undefined`: then it is named, but its value
 * was wrong and was taken out. Mappings have no prototype.
 */

export type RawFile = Data<typeof rootFile>;
export type RawAlias = Data<typeof alias>;
export type RawProject = Data<typeof project>;
export type RawRole = Data<typeof role>;
export type RawGrant = Data<typeof grant>;
