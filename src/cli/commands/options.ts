import { type CliCommand, withHelp } from '../command.ts';
import { optionOf } from '../flag.ts';
import { sharedFlags } from '../flags.ts';

const topic: CliCommand = {
  addTo: (parent, { name, description }) => {
    const command = parent.command(name, { hidden: true }).description(description);
    command.configureHelp({ ...command.configureHelp(), commandUsage: () => 'attune COMMAND [options]' });
    for (const [key, flag] of Object.entries(sharedFlags))
      command.addOption(optionOf(key, flag).hideHelp(false));
    withHelp(command, {
      details:
        'Commands that print a report have the output options, and commands that connect to the service the connection options. Every command that prints progress has --no-color and --quiet.',
      examples: ['attune plan --format json --quiet', 'attune apply --report apply.html --parallelism 4'],
      learnMore: 'docs/commands.md',
    });
    command.action(() => command.help());
  },
};

export default topic;
