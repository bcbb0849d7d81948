import {
  type Client,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Watch } from '../../config/config.ts';
import type { LedgerId } from '../../submission/ids.ts';
import { watchScheduleId } from '../../temporal-api/ids.ts';
import { activeRun } from '../run-client.ts';

/** What became of the request for a run. */
export type RequestedRun =
  /** It was started by this request. */
  | { readonly kind: 'started'; readonly run: string }
  /** It begins when the active run ends. `isNew`: this request asked for it; else one before did. */
  | { readonly kind: 'waiting'; readonly behind: string | null; readonly isNew: boolean }
  /** The schedule of the watch does not exist, or is paused. */
  | { readonly kind: 'refused'; readonly why: string }
  /** A run that the schedule did not start is active: the schedule would not wait for it. */
  | { readonly kind: 'busy'; readonly run: string };

/** Temporal names a run of a schedule after its second: two of one second would be one run. */
const APART_MS = 1_100;
/** How long to look for the run that was just started. */
const LOOK_MS = 1_500;

export interface RunRequester {
  request(watch: Watch): Promise<RequestedRun>;
}

/**
 * Starts runs through the schedules of the watches, so that Temporal keeps at most one waiting for each: what is published
 * while a run reads the sitemaps is found by the one that waits. Requests for one watch take turns.
 */
export function createRunRequester(client: Client, ledger: LedgerId): RunRequester {
  const turns = new Map<string, Promise<unknown>>();
  const triggeredAt = new Map<string, number>();

  async function requestInTurn(watch: Watch): Promise<RequestedRun> {
    const schedule = client.schedule.getHandle(watchScheduleId(ledger, watch.id));
    const before = await schedule.describe();
    const { paused, note } = before.state;
    if (paused) return { kind: 'refused', why: `its schedule is paused${note === undefined ? '' : ` (${note})`}` };
    const running = listRunning(before);
    if (countWaiting(before) > 0) return { kind: 'waiting', behind: running[0] ?? null, isNew: false };
    const other = running.length > 0 ? null : await activeRun(client, ledger, watch);
    if (other !== null) return { kind: 'busy', run: other.workflowId };
    await sleepUntilApart(before, triggeredAt.get(watch.id));
    await schedule.trigger(ScheduleOverlapPolicy.BUFFER_ONE);
    triggeredAt.set(watch.id, performance.now());
    const known = new Set([...running, ...listRecent(before)]);
    for (const end = performance.now() + LOOK_MS; performance.now() < end; await pause(25)) {
      const after = await schedule.describe();
      const started = [...listRunning(after), ...listRecent(after)].find((run) => !known.has(run));
      if (started !== undefined) return { kind: 'started', run: started };
      if (countWaiting(after) > 0) return { kind: 'waiting', behind: listRunning(after)[0] ?? null, isNew: true };
    }
    return { kind: 'waiting', behind: null, isNew: true };
  }

  return {
    async request(watch) {
      const mine = (turns.get(watch.id) ?? Promise.resolve()).then(() => requestInTurn(watch));
      const ended = mine.catch(() => undefined);
      turns.set(watch.id, ended);
      try {
        return await mine;
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return { kind: 'refused', why: 'it has no schedule' };
        throw error;
      } finally {
        if (turns.get(watch.id) === ended) turns.delete(watch.id);
      }
    },
  };
}

type Action = ScheduleDescription['info']['runningActions'][number];

const toRun = ({ workflow }: Action): string => workflow.workflowId;
const listRunning = ({ info }: ScheduleDescription): string[] => info.runningActions.map(toRun);
const listRecent = ({ info }: ScheduleDescription): string[] => info.recentActions.map(({ action }) => toRun(action));
const countWaiting = ({ raw }: ScheduleDescription): number => Number(raw.info?.bufferSize ?? 0);

/** Waits until the next run gets another name than the last one, which this or another worker has started. */
async function sleepUntilApart({ info }: ScheduleDescription, triggeredAt = Number.NEGATIVE_INFINITY): Promise<void> {
  const last = info.recentActions.at(-1)?.takenAt.getTime() ?? 0;
  const sinceTaken = Math.abs(Date.now() - last);
  const since = Math.min(sinceTaken, performance.now() - triggeredAt);
  if (since < APART_MS) await pause(APART_MS - since);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
