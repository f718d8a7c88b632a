import { renderAccess } from '../../report/access-text.ts';
import { answerAccess } from '../../run/access-of.ts';
import { defineCommand, rootFiles } from '../command.ts';
import { appFlag, connectionFlags, formatFlag, plainFlags, switchFlag, textFlag } from '../flags.ts';

export default defineCommand({
  details:
    'Shows who can do what, and why: the grant and its line, its role, a permission of the team in the organization, or the setting that shares a state. Without a question it prints the matrix of teams and projects. Needs no files with --organization and --address. It sends only GET requests.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    team: textFlag('team', 'where this team has access; add --project or --workspace for one place'),
    project: textFlag('project', 'which teams have access to this project, by alias, name or ID'),
    workspace: textFlag(
      'workspace',
      'what each team can do with runs, variables and state of this workspace',
    ),
    stateOf: textFlag('workspace', 'which workspaces and teams can read the state of this one'),
    stateFor: textFlag('workspace', 'whose state this workspace can read'),
    declared: switchFlag('answer for the state after the plan of the files instead of the live state'),
    organization: textFlag('name', "organization (default: the root file's)"),
    ...formatFlag(['text', 'json', 'csv', 'markdown', 'html']),
    ...plainFlags,
    ...connectionFlags,
  },
  examples: [
    'attune access',
    'attune access --workspace network-prod',
    'attune access --team developers --declared',
    'attune access --state-of network-prod --format json',
    'attune access --organization acme --address https://iac.example.com --format csv',
    'attune access --declared --format html > access.html',
  ],
  learnMore: 'docs/guides/access.md',
  run: async ({ files }, flags, session) => {
    const { team, project, workspace, stateOf, stateFor, declared, organization, format } = flags;
    const question = { team, project, workspace, stateOf, stateFor };
    const { console } = session;
    const result = await answerAccess({ question, files, organization, declared }, session);
    if (format === 'text') console.text(renderAccess(result, format, console));
    else if (format !== 'html') console.result(renderAccess(result, format, console));
    else {
      const origin = await (await import('../../run/messages.ts')).reportOrigin(session.io);
      console.result((await import('../../report/html/access.ts')).accessPage(result, origin));
    }
    if (format !== 'json') console.diagnostics(result.diagnostics);
    return 0;
  },
});
