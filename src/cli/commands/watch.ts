import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { Command } from 'commander';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import type { Watch } from '../../config/config.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import type { LedgerId } from '../../submission/ids.ts';
import { checkScheduleId, watchScheduleId } from '../../temporal-api/ids.ts';
import { action } from '../output/command.ts';
import { formatInstant } from '../output/times.ts';
import { getWatch, selectWatches, withLedger } from '../with-ledger.ts';

const PAUSED = 'paused by a person with courier watch pause';
const RESUMED = 'resumed by a person with courier watch resume';

export function watchCommand(): Command {
  const command = new Command('watch').description('the schedules of the watches').addCommand(listCommand());
  const one = (
    name: string,
    does: string,
    said: string,
    act: (client: Client, ledger: LedgerId, watch: Watch) => Promise<void>,
  ) =>
    command.addCommand(
      new Command(name)
        .description(does)
        .argument('<watch>')
        .action(
          action((output, flags, id: string) =>
            withLedger(flags, ({ config, file, ledger }) => {
              const watch = getWatch(config.watches, id);
              return withTemporal(config, file, async ({ client }) => {
                await act(client, ledger.id, watch).catch((error: unknown) => {
                  throw error instanceof ScheduleNotFoundError ? noSchedule(watch) : error;
                });
                output.print(`${watch.id} ${said}`);
                return { exitCode: EXIT.done, summary: { watch: watch.id } };
              });
            }),
          ),
        ),
    );
  one(
    'pause',
    'no scheduled run until resumed',
    'is paused; a run that is under way goes on.',
    (client, ledger, watch) => onBoth(ledger, watch, (id) => client.schedule.getHandle(id).pause(PAUSED)),
  );
  one('resume', 'scheduled runs again', 'is scheduled again.', (client, ledger, watch) =>
    onBoth(ledger, watch, (id) => client.schedule.getHandle(id).unpause(RESUMED)),
  );
  one(
    'trigger',
    'the scheduled run, now',
    'runs as soon as a worker is there; "courier status" shows it.',
    (client, ledger, watch) => client.schedule.getHandle(watchScheduleId(ledger, watch.id)).trigger(),
  );
  return command;
}

function listCommand(): Command {
  return new Command('list').description('every watch with its schedule').action(
    action((output, flags) =>
      withLedger(flags, ({ config, file, ledger }) => {
        return withTemporal(config, file, async ({ client }) => {
          const seen = new Map<string, { paused: boolean; next: number | null }>();
          for await (const { scheduleId, state, info } of client.schedule.list())
            seen.set(scheduleId, { paused: state.paused, next: info?.nextActionTimes[0]?.getTime() ?? null });
          for (const watch of selectWatches(config, [])) {
            const schedule = seen.get(watchScheduleId(ledger.id, watch.id));
            const state = schedule === undefined ? 'unscheduled' : schedule.paused ? 'paused' : 'scheduled';
            const nextRunAt = state === 'scheduled' ? (schedule?.next ?? null) : null;
            output.record({ type: 'watch', watch: watch.id, account: watch.account, state, nextRunAt });
            output.print(`${watch.id}  ${state}${nextRunAt === null ? '' : `, next run ${formatInstant(nextRunAt)}`}`);
          }
          return { exitCode: EXIT.done, summary: { watches: config.watches.size } };
        });
      }),
    ),
  );
}

async function onBoth(ledger: LedgerId, watch: Watch, act: (scheduleId: string) => Promise<void>): Promise<void> {
  await act(watchScheduleId(ledger, watch.id));
  if (watch.indexCheck !== null) await act(checkScheduleId(ledger, watch.id));
}

function noSchedule({ id }: Watch): CommandError {
  return new CommandError(
    EXIT.usage,
    `${id} has no schedule on the Temporal server. Nothing was changed or charged. ` +
      '"courier worker" creates it, if the configuration gives the watch one.',
  );
}
