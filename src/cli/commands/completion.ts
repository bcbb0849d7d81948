import { Argument, type Command } from 'commander';
import { readCommandTree } from '../../cli-kit/command-tree.ts';
import { renderBashCompletion } from '../../cli-kit/completion/bash.ts';
import { renderFishCompletion } from '../../cli-kit/completion/fish.ts';
import { renderZshCompletion } from '../../cli-kit/completion/zsh.ts';
import type { Program } from '../../cli-kit/program.ts';

const RENDERERS = { bash: renderBashCompletion, zsh: renderZshCompletion, fish: renderFishCompletion } as const;
type Shell = keyof typeof RENDERERS;

/** Prints the script and nothing else, to be evaluated by the shell. `create`: the program, with none of its commands loaded. */
export const completionCommand = (create: () => Program) => (command: Command) => {
  const shells = Object.keys(RENDERERS) as Shell[];
  command
    .addArgument(new Argument('[shell]', 'the shell: bash, zsh or fish').choices(shells).default('bash'))
    .action(async (shell: Shell) => {
      process.stdout.write(RENDERERS[shell]('courier', await readCommandTree(create())));
    });
};
