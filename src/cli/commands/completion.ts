import { Argument, type Command } from 'commander';
import { readCommandTree } from '../../cli-kit/command-tree.ts';
import { renderBashCompletion } from '../../cli-kit/completion/bash.ts';
import type { Program } from '../../cli-kit/program.ts';

/** Prints the script and nothing else, to be evaluated by the shell. `create`: the program, with none of its commands loaded. */
export const completionCommand = (create: () => Program) => (command: Command) => {
  command.addArgument(new Argument('[shell]', 'the shell').choices(['bash']).default('bash')).action(async () => {
    process.stdout.write(renderBashCompletion('courier', await readCommandTree(create())));
  });
};
