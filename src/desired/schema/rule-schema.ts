import { severities } from '../../model/diagnostic.ts';
import {
  choice,
  type Data,
  entry,
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
import { messageEvents, policySubjects, receiverKinds } from '../../model/rules.ts';
import type { ConsumerRef } from '../../model/state.ts';

export const policy = titled(
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

export const policyList: Part<readonly Data<typeof policy>[]> = {
  title: 'list of policies',
  ...list(
    'Rules that every plan must meet, as CEL expressions. A plan that violates one fails.',
    reference('policy', policy),
  ),
};

export const prune = titled('prune setting', 'Whether things that no file declares are deleted.', {
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

export const receiver = mapping(
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
      { ...environmentVariable, examples: ['SLACK_URL'] },
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

export const ruleSections = {
  limits,
  guards,
  notify: list(
    'Who gets messages: from `attune watch`, and from plan, drift and apply with --notify.',
    reference('receiver', receiver),
    { examples: [[{ to: 'slack', 'url-env': 'SLACK_URL' }]] },
  ),
};
