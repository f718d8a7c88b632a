/** One change of a file. */
export interface Edit {
  readonly file: string;
  /** The text behind which something is added. @default the end of the file, which may be new */
  readonly after?: string;
  readonly add: string;
}

/** What a developer writes who follows a recipe of `docs/architecture.md`. */
export interface Recipe {
  /** Its heading. */
  readonly title: string;
  /** Is in each line that the recipe adds to a file, and that a command adds for it. */
  readonly mark: RegExp;
  readonly edits: readonly Edit[];
}

const attribute: Recipe = {
  title: 'An attribute',
  mark: /pause[-_]?runs/gi,
  edits: [
    {
      file: 'src/model/attribute-table.ts',
      after: 'export const workspaceAttributes: Readonly<Record<AttributePath, AttributeSpec>> = {\n',
      add: `  'pause-runs': {
    ...flagSpec(false),
    description: 'Whether no run starts.',
    terraform: workspace('kept'),
  },
`,
    },
    {
      file: 'tools/terraform-provider/documented-arguments.ts',
      after: '      assessments_enabled: flag(both),\n',
      add: '      pause_runs: flag(both),\n',
    },
    {
      file: 'tools/terraform-provider/read-resource.ts',
      after: "    assessments_enabled: wire['assessments-enabled'] === true,\n",
      add: "    pause_runs: wire['pause-runs'] === true,\n",
    },
    { file: 'test/desired/typed-mutations.ts', after: 'iac-version: ~> 1.9.0, ', add: 'pause-runs: true, ' },
    {
      file: 'test/plan/tables/attributes.txt',
      add: `
=== pause-runs: another value is one PATCH
--- desired workspaces: {app: {pause-runs: true}}
--- live workspaces: {app: {pause-runs: false}}
--- plan

=== pause-runs: the same value needs no change
--- desired workspaces: {app: {pause-runs: true}}
--- live workspaces: {app: {pause-runs: true}}
--- plan
`,
    },
  ],
};

const projectAttribute: Recipe = {
  title: 'An attribute of a project',
  mark: /owner-?email/gi,
  edits: [
    {
      file: 'src/model/attribute-table.ts',
      after: 'export const projectAttributes: Readonly<Record<ProjectPath, AttributeSpec>> = {\n',
      add: `  'owner-email': {
    ...textSpec,
    description: 'Whom to ask about the project.',
    example: 'sre@example.com',
    terraform: project('kept'),
  },
`,
    },
    {
      file: 'test/desired/typed-mutations.ts',
      after: 'default-execution-mode: agent, ',
      add: 'owner-email: sre@example.com, ',
    },
    {
      file: 'test/plan/tables/projects.txt',
      add: `
=== owner-email: another value is one PATCH
--- desired service: {dialect: terraform}, projects: {shop: {name: Shop, manage: true, owner-email: a@b.c}}
--- live dialect: terraform, projects: {prj-shop: {name: Shop, owner-email: d@e.f}}
--- plan

=== owner-email: the same value needs no change
--- desired service: {dialect: terraform}, projects: {shop: {name: Shop, manage: true, owner-email: a@b.c}}
--- live dialect: terraform, projects: {prj-shop: {name: Shop, owner-email: a@b.c}}
--- plan
`,
    },
  ],
};

const key: Recipe = {
  title: 'A key of the configuration',
  mark: /on-?call/gi,
  edits: [
    {
      file: 'src/desired/schema/language.ts',
      after: "titled('service mapping', 'Where the service is and how to talk to it.', {\n",
      add: "  'on-call': text('Who operates the service.', { examples: ['sre@example.com'] }),\n",
    },
    {
      file: 'src/model/configuration.ts',
      after: 'export interface ServiceSettings {\n',
      add: '  /** Who operates the service. */\n  readonly onCall?: string;\n',
    },
    {
      file: 'src/desired/settings.ts',
      after: "    address: address?.replace(/(?<!\\/)\\/+$/, ''),\n",
      add: "    onCall: service['on-call'],\n",
    },
    {
      file: 'src/constructs/organization.ts',
      after: 'export interface ServiceProps {\n',
      add: '  /** Who operates the service. */\n  readonly onCall?: string;\n',
    },
    {
      file: 'test/constructs/props.test.ts',
      after: '      parallelism: 1,\n',
      add: "      onCall: 'sre@example.com',\n",
    },
    { file: 'test/desired/typed-mutations.ts', after: '\nservice: {', add: 'on-call: sre@example.com, ' },
    {
      file: 'docs/configuration.md',
      after: '| `rate` | requests per second | the announced limit |\n',
      add: '| `on-call` | who operates the service | |\n',
    },
  ],
};

const command: Recipe = {
  title: 'A command',
  mark: /hello/gi,
  edits: [
    {
      file: 'src/cli/commands/hello.ts',
      add: `import { defineCommand } from '../command.ts';

export default defineCommand({
  details: 'Prints a greeting.',
  arguments: {},
  flags: {},
  examples: ['attune hello'],
  learnMore: 'README.md',
  run: async (_arguments, _flags, { io }) => {
    io.stdout.write('hello\\n');
    return 0;
  },
});
`,
    },
    {
      file: 'src/cli/program.ts',
      after: "  'Other commands:': {\n",
      add: "    hello: ['print a greeting', () => import('./commands/hello.ts')],\n",
    },
    {
      file: 'README.md',
      after: '| `attune completion` | prints the completion script of bash, zsh or fish |\n',
      add: '| `attune hello` | prints a greeting |\n',
    },
    { file: 'test/secrets.test.ts', after: "  ['completion', 'bash'],\n", add: "  ['hello'],\n" },
    { file: 'test/secrets.test.ts', after: 'const unconnected: readonly unknown[] = [', add: "'hello', " },
  ],
};

const check: Recipe = {
  title: 'A check',
  mark: /huge-?plan/gi,
  edits: [
    {
      file: 'src/check/huge-plan.ts',
      add: `import { note } from '../model/diagnostic.ts';
import type { Check } from './check.ts';

/** A plan of more than 5,000 changes. */
export const hugePlan: Check = {
  codes: ['huge-plan'],
  find: ({ plan }) => (plan.changes.length > 5000 ? [note('huge-plan', 'the plan is huge')] : []),
};
`,
    },
    {
      file: 'src/check/check-plan.ts',
      after: "import { guards } from './guards.ts';\n",
      add: "import { hugePlan } from './huge-plan.ts';\n",
    },
    { file: 'src/check/check-plan.ts', after: '  limits,\n', add: '  hugePlan,\n' },
    {
      file: 'docs/diagnostics.md',
      after: 'Follow the hint: fetch the revision, correct the base, or name another one. |\n',
      add: '| `huge-plan` | note | The plan has more than 5,000 changes. | Plan a part of it. |\n',
    },
  ],
};

const format: Recipe = {
  title: 'A report format',
  mark: /csv|about,rule/gi,
  edits: [
    { file: 'src/report/report.ts', after: "  sarif: '.sarif',\n", add: "  csv: '.csv',\n" },
    {
      file: 'src/report/csv.ts',
      add: `import type { Report } from './report.ts';
import { reportView } from './report-view.ts';

export function renderCsv(report: Report): string {
  const rows = reportView(report).sections.flatMap(({ name, items }) =>
    items.map(({ rule }) => \`\${name},\${rule}\`),
  );
  return ['about,rule', ...rows, ''].join('\\n');
}
`,
    },
    {
      file: 'src/report/render-report.ts',
      after: 'renderSarif,\n',
      add: "  csv: async () => (await import('./csv.ts')).renderCsv,\n",
    },
  ],
};

/** Those whose result compiles. */
export const recipes = [attribute, projectAttribute, key, check, command, format];

/** What a developer adds to the model for another kind of resource. */
export const additionsOfKind: readonly Edit[] = [
  { file: 'src/model/state.ts', after: "['project', 'workspace', 'team-access'", add: ", 'variable-set'" },
  {
    file: 'src/model/state.ts',
    after: 'export type Resource = ProjectResource | WorkspaceResource | GrantResource',
    add: " | VariableSetResource;\nexport interface VariableSetResource extends ResourceBase<'variable-set', Values> {}",
  },
  {
    file: 'src/model/change.ts',
    after: 'export type Change = ProjectChange | WorkspaceChange | GrantChange',
    add: " | VariableSetChange;\nexport interface VariableSetChange extends ChangeBase<'variable-set'> {}",
  },
];

/** A relation of workspaces and its operation. The compiler reports the places that need it. */
export const additionsOfRelation: readonly Edit[] = [
  { file: 'src/model/attributes.ts', after: "  'ssh-key',\n", add: "  'log-sink',\n" },
  { file: 'src/model/plan.ts', after: "  'assignSshKey',\n", add: "  'assignLogSink',\n" },
];

/** Modules whose code depends on the kind of a resource. */
export const modulesWithKinds = [
  'desired',
  'live',
  'diff',
  'plan',
  'apply',
  'undo',
  'report',
  'write',
  'constructs',
  'cdktf',
];
