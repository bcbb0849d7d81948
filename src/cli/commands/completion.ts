import { Argument, type Command, Option } from 'commander';
import { readCommandTree } from '../../cli-kit/command-tree.ts';
import { renderBashCompletion } from '../../cli-kit/completion/bash.ts';
import { renderFishCompletion } from '../../cli-kit/completion/fish.ts';
import { renderZshCompletion } from '../../cli-kit/completion/zsh.ts';
import type { Program } from '../../cli-kit/program.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load.ts';
import type { GlobalFlags } from '../output/command.ts';

const RENDERERS = { bash: renderBashCompletion, zsh: renderZshCompletion, fish: renderFishCompletion } as const;
type Shell = keyof typeof RENDERERS;

const NAMED = ['watches', 'accounts', 'channels'] as const;

/** What the configuration names; nothing where it cannot be read, because a shell has no place for a message. */
function listNames(file: string, kind: (typeof NAMED)[number]): string[] {
  try {
    const { watches, accounts, notify } = loadConfig(file);
    return [...{ watches, accounts, channels: notify.channels }[kind].keys()];
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

/** Prints the script and nothing else, to be evaluated by the shell; with `--names` what the script asks for. `create`: the program, with none of its commands loaded. */
export const completionCommand = (create: () => Program) => (command: Command) => {
  const shells = Object.keys(RENDERERS) as Shell[];
  command
    .addArgument(new Argument('[shell]', 'the shell: bash, zsh or fish').choices(shells).default('bash'))
    .addOption(new Option('--names <kind>').choices(NAMED).hideHelp())
    .action(async (shell: Shell, { names }: { names?: (typeof NAMED)[number] }) => {
      if (names !== undefined) {
        const { config } = command.optsWithGlobals<GlobalFlags>();
        process.stdout.write(
          listNames(config, names)
            .map((name) => `${name}\n`)
            .join(''),
        );
        return;
      }
      process.stdout.write(RENDERERS[shell]('courier', await readCommandTree(create())));
    });
};
