import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import type { Command } from 'commander';
import { type CommandError, UsageError } from '../../cli-kit/exit-codes.ts';
import type { Watch } from '../../config/config.ts';
import { getTimeZone } from '../../config/time-zone.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { listWatchStates, type WatchState } from '../../ledger/reports/watch-states.ts';
import type { LedgerId } from '../../submission/ids.ts';
import { formatInstantIn } from '../../submission/instant.ts';
import { checkScheduleId, watchScheduleId } from '../../temporal-api/ids.ts';
import { formatCounted } from '../output/format.ts';
import { toScheduleRecord } from '../output/records/status.ts';
import { getWatch, ledgerAction } from '../with-ledger.ts';
import { describeFailing } from './status-check.ts';

/** Notes on the schedule, shown in the Web UI. */
const PAUSED = 'paused with courier watch pause';
const RESUMED = 'resumed with courier watch resume';

interface Verb {
  readonly does: string;
  readonly done: string;
  act(client: Client, ledger: LedgerId, watch: Watch): Promise<void>;
}

const VERBS: Readonly<Record<string, Verb>> = {
  pause: {
    does: 'start no scheduled run until it is resumed',
    done: 'is paused. A run that is active continues.',
    act: (client, ledger, watch) => onBoth(ledger, watch, (id) => client.schedule.getHandle(id).pause(PAUSED)),
  },
  resume: {
    does: 'start scheduled runs again',
    done: 'is scheduled again.',
    act: (client, ledger, watch) => onBoth(ledger, watch, (id) => client.schedule.getHandle(id).unpause(RESUMED)),
  },
  trigger: {
    does: 'start the scheduled run now',
    done: 'runs as soon as a worker is free. "courier status" shows it.',
    act: (client, ledger, watch) => client.schedule.getHandle(watchScheduleId(ledger, watch.id)).trigger(),
  },
};

export function watchCommand(command: Command): void {
  configureList(command.command('list').description('list every watch with its schedule'));
  for (const [name, verb] of Object.entries(VERBS)) configureVerb(command.command(name).description(verb.does), verb);
}

function configureVerb(command: Command, { done, act }: Verb): void {
  command.argument('<watch>', 'name of the watch').action(
    ledgerAction((output, { config, file, ledger }, id: string) => {
      const watch = getWatch(config.watches, id);
      return withTemporal(config, file, async ({ client }) => {
        await act(client, ledger.id, watch).catch((error: unknown) => {
          throw error instanceof ScheduleNotFoundError ? toNoSchedule(watch) : error;
        });
        output.print(`${watch.id} ${done}`);
        return { summary: { watch: watch.id } };
      });
    }),
  );
}

function configureList(command: Command): void {
  command.action(
    ledgerAction((output, { config, file, ledger }) =>
      withTemporal(config, file, async ({ client }) => {
        const seen = new Map<string, { paused: boolean; next: number | null }>();
        for await (const { scheduleId, state, info } of client.schedule.list())
          seen.set(scheduleId, { paused: state.paused, next: info?.nextActionTimes[0]?.getTime() ?? null });
        const { states: known } = await listWatchStates(ledger, [...config.watches.values()]);
        const states = new Map(known.map((state) => [state.id, state]));
        for (const watch of config.watches.values()) {
          const schedule = seen.get(watchScheduleId(ledger.id, watch.id));
          const state = schedule === undefined ? 'unscheduled' : schedule.paused ? 'paused' : 'scheduled';
          const next = state === 'scheduled' ? (schedule?.next ?? null) : null;
          const own = states.get(watch.id);
          output.record(
            toScheduleRecord({
              watch: watch.id,
              account: watch.account,
              state,
              nextRunAt: next,
              figures: own?.figures,
            }),
          );
          output.print(
            [
              `${watch.id}  ${state}${next === null ? '' : `, next run ${formatInstantIn(getTimeZone(watch), next)}`}`,
              ...(own === undefined ? [] : listStanding(watch, own)),
            ].join('; '),
          );
        }
        return { summary: { watches: config.watches.size } };
      }),
    ),
  );
}

/** Its last real run, and what is wrong with it. */
function listStanding(watch: Watch, state: WatchState): string[] {
  const { figures, held, last } = state;
  const [waiting] = held;
  const failing = describeFailing(watch, state);
  return [
    last === null ? 'no run yet' : `last run ${formatInstantIn(getTimeZone(watch), last.run.startedAt)}`,
    ...(waiting === undefined ? [] : [`waits for you: ${waiting.run}`]),
    ...(failing === null ? [] : [`${failing.since}: ${failing.why}`]),
    ...(figures.keptBackUrls === 0
      ? []
      : [
          `${formatCounted(figures.keptBackUrls, 'URL')} kept back: ${figures.keptBackReason ?? 'no reason was recorded'}`,
        ]),
  ];
}

async function onBoth(ledger: LedgerId, watch: Watch, act: (scheduleId: string) => Promise<void>): Promise<void> {
  await act(watchScheduleId(ledger, watch.id));
  if (watch.indexCheck !== null) await act(checkScheduleId(ledger, watch.id));
}

function toNoSchedule({ id }: Watch): CommandError {
  return new UsageError(
    `${id} has no schedule on the Temporal server. Nothing was changed or charged. ` +
      '"courier worker" creates it when the configuration gives the watch one.',
  );
}
