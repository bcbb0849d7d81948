import { userInfo } from 'node:os';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { Command } from 'commander';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import { loadConfig } from '../../config/load.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { approveUpdate, type Decision, rejectUpdate } from '../../temporal-api/messages.ts';
import { action } from '../output/command.ts';

const KINDS = {
  approve: {
    update: approveUpdate,
    does: 'buy what a held run found',
    meaning: 'What it found is planned and bought.',
  },
  reject: { update: rejectUpdate, does: 'buy nothing of a held run', meaning: 'Nothing of it is bought.' },
} as const;

export function approveCommand(): Command {
  return decideCommand('approve');
}

export function rejectCommand(): Command {
  return decideCommand('reject');
}

function decideCommand(kind: keyof typeof KINDS): Command {
  const { update, does, meaning } = KINDS[kind];
  return new Command(kind)
    .description(`${does}; "courier status" names the runs that are held`)
    .argument('<run>', 'the run, as "watch/LEDGER/WATCH/…"')
    .option('--note <text>', 'why; kept with your name in the ledger')
    .action(
      action(async (output, { config: file = 'courier.yaml' }, run: string, { note }: { note?: string }) =>
        withTemporal(loadConfig(file), file, async ({ client }) => {
          const decision: Decision = { by: userInfo().username, ...(note === undefined ? {} : { note }) };
          try {
            const taken = await client.workflow.getHandle(run).executeUpdate(update, { args: [decision] });
            output.print(`${run} is ${taken}. ${meaning}`);
            return { exitCode: EXIT.done, summary: { run, decision: taken } };
          } catch (error) {
            throw notTaken(error, run);
          }
        }),
      ),
    );
}

function notTaken(error: unknown, run: string): unknown {
  const unchanged = 'Nothing was decided, submitted or charged by this. "courier status" names the runs that are held.';
  if (error instanceof WorkflowNotFoundError)
    return new CommandError(EXIT.usage, `There is no run "${run}" under way. ${unchanged}`);
  if (error instanceof WorkflowUpdateFailedError)
    return new CommandError(EXIT.usage, `${error.cause?.message ?? error.message} ${unchanged}`);
  return error;
}
