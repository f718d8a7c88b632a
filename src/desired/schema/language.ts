import type { PermissionPath } from '../../model/attribute-values.ts';
import { severities } from '../../model/diagnostic.ts';
import { dialects, type Feature, featureNames } from '../../model/dialect.ts';
import {
  accepting,
  choice,
  type Data,
  type Dictionary,
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
import {
  accessLevels,
  type PermissionGroup,
  type PermissionSpec,
  permissionPaths,
  permissions,
} from '../../model/permissions.ts';
import type { AttributeSpec } from '../../model/rows.ts';
import { messageEvents, policySubjects, receiverKinds } from '../../model/rules.ts';
import type { ConsumerRef } from '../../model/state.ts';
import { endingKeys, holdParts, holdSections } from './hold-schema.ts';
import { layerParts, managedProjectKeys, type RawLayer } from './layer-schema.ts';
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
    {
      exclusiveMinimum: 0,
      examples: [20],
    },
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

const level = word(
  'The level of access: read, write, maintain, admin, custom (single permissions), none to revoke, or the name of a role.',
  ...accessLevels,
  'none',
);

function permission(path: PermissionPath): Part<string | boolean> {
  const { description, values, customDefault }: PermissionSpec = permissions[path];
  if (typeof customDefault === 'boolean') return flag(description, customDefault);
  return { description, type: 'string', enum: [...values], default: customDefault };
}

function permissionsOf(group: PermissionGroup, description: string): Part<Dictionary<string | boolean>> {
  const paths = permissionPaths.filter((path) => path.startsWith(`${group}.`));
  return mapping(
    { title: `${group} mapping`, description },
    Object.fromEntries(paths.map((path) => [path.slice(group.length + 1), permission(path)])),
  );
}

const groupKeys = {
  'project-access': permissionsOf(
    'project-access',
    'Permissions on the project itself; access custom only. One that is not named has its default.',
  ),
  'workspace-access': permissionsOf(
    'workspace-access',
    "Permissions on the project's workspaces; access custom only. One that is not named has its default.",
  ),
};

const role = titled(
  'role',
  'What a team with this role may do.',
  {
    access: choice(
      'The level of access: read, write, maintain, admin, or custom (single permissions).',
      accessLevels,
    ),
    'project-access': reference('grant/properties/project-access', groupKeys['project-access']),
    'workspace-access': reference('grant/properties/workspace-access', groupKeys['workspace-access']),
  },
  { required: ['access'] },
);

const grant = either(
  {
    title: 'grant',
    description:
      'The level, the name of a role, or none to revoke; {access: custom, ...} sets single permissions.',
    examples: ['read', 'write', 'maintain', 'admin', 'none'],
  },
  word(''),
  mapping(
    { required: ['access'] },
    {
      access: reference('level', level),
      ...groupKeys,
      ...endingKeys,
      until: accepting<string>({
        ...endingKeys.until,
        description: `${endingKeys.until.description} Then the access is revoked.`,
      }),
    },
  ),
);

const policy = titled(
  'policy',
  'A rule that every plan must meet.',
  {
    id: text('Names the policy in reports; unique, in kebab-case.', {
      ...format(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'write it in kebab-case: prod-no-auto-apply'),
      examples: ['prod-no-auto-apply'],
    }),
    on: choice(
      'What the policy is evaluated for: each change; each declared workspace, grant or project as it is after the plan; or the plan as a whole. The expressions use a variable of this name.',
      policySubjects,
      'change',
    ),
    when: word(
      'A CEL expression that selects what the policy applies to.',
      "change.kind == 'workspace' && change.name.endsWith('-prod')",
    ),
    require: word(
      'A CEL expression that must hold for everything that the policy applies to.',
      "!change.fields.exists(f, f.path == 'auto-apply' && f.after == true)",
    ),
    severity: choice('An error makes the plan fail; a warning or a note is reported.', severities, 'error'),
    message: word('What a report shows for a violation.', 'Production runs are applied manually.'),
  },
  { required: ['id', 'require', 'message'] },
);

const policies: Part<readonly Data<typeof policy>[]> = {
  title: 'list of policies',
  ...list(
    'Rules that every plan must meet, as CEL expressions. A plan that violates one fails.',
    reference('policy', policy),
  ),
};

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
  policies,
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

const prune = titled('prune setting', 'Whether things that no file declares are deleted.', {
  workspaces: choice(
    'Workspaces in scope that no file declares: keep them, delete those that manage no resources (safe), or delete them all (force). safe and force need a scope.',
    ['keep', 'safe', 'force'],
    'keep',
  ),
  'team-access': flag(
    'Whether teams that a project under team-access does not list lose their access.',
    false,
  ),
});

const limits = titled(
  'limits mapping',
  'How much a single plan may delete, revoke and update. The limit that is reached first refuses the plan before any write. --max-deletes, --max-revokes and --max-updates override the limits of their kind.',
  {
    deletes: integer('The most deletes of one plan: workspaces, projects and grants.', {
      minimum: 0,
      default: 10,
      examples: [10],
    }),
    'delete-percent': number(
      'The most deletes of one plan, as a percentage of the live objects; checked if there are at least 10 objects.',
      { minimum: 0, maximum: 100, default: 30, examples: [30] },
    ),
    revokes: integer(
      'The most grants that one plan deletes. They count as deletes, too. Without it only the limits of deletes apply.',
      { minimum: 0, examples: [10] },
    ),
    updates: integer(
      'The most updates of one plan: workspaces, projects and grants. Without it there is no limit.',
      { minimum: 0, examples: [200] },
    ),
    'update-percent': number(
      'The most updates of one plan, as a percentage of the live objects; checked if there are at least 10 objects. Without it there is no limit.',
      { minimum: 0, maximum: 100, examples: [50] },
    ),
    'exception-days': integer('The most days that an exception lasts from now.', {
      minimum: 1,
      default: 90,
      examples: [90],
    }),
  },
  { examples: [{ deletes: 5, 'delete-percent': 20, revokes: 10, updates: 200, 'update-percent': 50 }] },
);

const protect = ['*-prod', { tag: 'prod' }];

const guards = titled(
  'guards mapping',
  'What no plan may do, whatever the files declare.',
  {
    protect: list(
      'Workspaces that are neither deleted nor renamed, by their live values and by the planned ones: names with * for any run of characters, or selectors. Unlike protect: true of a workspace, it holds after the declaration of the workspace is removed.',
      reference<ConsumerRef>('protection'),
      { default: [], examples: [protect] },
    ),
    'keep-admin': list(
      'Teams by alias, name or id. A plan that leaves a declared project without admin access for one of them is refused.',
      entry('sre'),
      { minItems: 1 },
    ),
    'keep-self': flag(
      'Whether a plan is refused that revokes or lowers the access of a team through which the token of the run acts.',
      false,
    ),
  },
  { examples: [{ protect, 'keep-admin': ['sre'], 'keep-self': true }] },
);

const environmentVariable = format(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  'set an environment variable to the value, and write its name, such as SLACK_URL',
);

const receiver = mapping(
  {
    title: 'entry of notify',
    required: ['to', 'url-env'],
    examples: [{ to: 'slack', 'url-env': 'SLACK_URL', on: ['failed', 'drift'] }],
  },
  {
    to: choice(
      'What takes the messages: an incoming webhook of Slack or of a compatible service, or any endpoint that takes JSON.',
      receiverKinds,
    ),
    'url-env': text(
      'The environment variable with the address. The address is a secret: no file contains it.',
      {
        ...environmentVariable,
        examples: ['SLACK_URL'],
      },
    ),
    'secret-env': text('The environment variable with the key that signs the messages; only for a webhook.', {
      ...environmentVariable,
      examples: ['ATTUNE_WEBHOOK_SECRET'],
    }),
    on: list('What messages are sent about.', choice('An event.', messageEvents), {
      minItems: 1,
      default: messageEvents,
    }),
  },
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
    limits,
    guards,
    notify: list(
      'Who gets messages: from `attune watch`, and from plan, drift and apply with --notify.',
      reference('receiver', receiver),
      { examples: [[{ to: 'slack', 'url-env': 'SLACK_URL' }]] },
    ),
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
  { attune: version, policies: reference('policies', policies) },
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
