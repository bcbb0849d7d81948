import { userInfo } from 'node:os';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { Command } from 'commander';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import { loadConfig } from '../../config/load.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { approveUpdate, type Decision, rejectUpdate } from '../../temporal-api/messages.ts';
import { action } from '../output/command.ts';

const KINDS = {
  approve: { update: approveUpdate, meaning: 'What it found is planned and submitted.' },
  reject: {
    update: rejectUpdate,
    meaning:
      'This run submits nothing. Its URLs stay due: the next run finds them again and is held again if a guard trips. ' +
      'To leave them out permanently, exclude them ("exclude" of the watch).',
  },
} as const;

export const approveCommand = (command: Command) => configureDecision(command, 'approve');
export const rejectCommand = (command: Command) => configureDecision(command, 'reject');

function configureDecision(command: Command, kind: keyof typeof KINDS): void {
  const { update, meaning } = KINDS[kind];
  command
    .argument('<run>', 'name of the run, as "courier status" shows it: watch/LEDGER/WATCH/…')
    .option('--note <text>', 'why; kept with your name in the ledger')
    .action(
      action(async (output, { config: file }, run: string, { note }: { note?: string }) =>
        withTemporal(loadConfig(file), file, async ({ client }) => {
          const decision: Decision = { by: userInfo().username, ...(note === undefined ? {} : { note }) };
          try {
            const taken = await client.workflow.getHandle(run).executeUpdate(update, { args: [decision] });
            output.print(`${run} is ${taken}. ${meaning}`);
            return { exitCode: EXIT.done, summary: { run, decision: taken } };
          } catch (error) {
            throw toNotDecided(error, run);
          }
        }),
      ),
    );
}

function toNotDecided(error: unknown, run: string): unknown {
  const unchanged = 'Nothing was decided, submitted or charged. "courier status" lists the runs that a guard holds.';
  if (error instanceof WorkflowNotFoundError)
    return new CommandError(EXIT.usage, `No run "${run}" is active. ${unchanged}`);
  if (error instanceof WorkflowUpdateFailedError)
    return new CommandError(EXIT.usage, `${error.cause?.message ?? error.message} ${unchanged}`);
  return error;
}
