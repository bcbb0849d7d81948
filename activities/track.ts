import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { LIMITS } from '../contract/limits.ts';
import { pagesOf } from '../src/api-client/find-lost.ts';
import type { UrlView } from '../src/api-client/read/submission.ts';
import { recordLook } from '../src/ledger/record-look.ts';
import { recordUrlResults, type Settled, settleJob, type UrlResult } from '../src/ledger/settle-job.ts';
import { freshSince, nextLook, onSharedTick, waitAfter } from '../src/submission/look-schedule.ts';
import type { Deps } from './deps.ts';
import { isNotYet, later } from './later.ts';
import { answered } from './requests.ts';
import type { Look, TrackInput } from './types.ts';

/** A state after which the list says nothing of single URLs that must be read: all of them are done. */
const ALL_DONE = 'completed';

export function trackActivities(deps: Deps) {
  const { ledger, accountOf, boardOf, now, config } = deps;

  return {
    async followSubmission({ known, ...job }: TrackInput & { readonly known: string }): Promise<Look> {
      const { account: id, reference, watch, service, acceptedAt } = job;
      const account = accountOf(id);
      const { attempt } = Context.current().info;
      const looks = account.tracking[service];
      const next = nextLook(looks, attempt, now() - acceptedAt);
      const usualWait = onSharedTick(looks, now(), waitAfter(looks, attempt));
      const seen = await patiently(usualWait, () =>
        boardOf(id).look(reference, freshSince(looks, now(), attempt)),
      ).catch((error: unknown) => {
        // A service that answers nonsense to the end of the patience must not be asked for ever.
        if (next.kind === 'overdue' && !isNotYet(error)) return { reference, state: known };
        throw error;
      });
      const look = await recordLook(ledger, id, reference, {
        state: seen.state,
        terminalStates: account.terminalStates,
      });
      if (look.terminal) {
        if (look.state !== ALL_DONE) {
          await patiently(usualWait, () => readUrls(deps, job));
        }
        const retryFailed = config.watches.get(watch)?.retryFailed ?? { times: 0, afterMs: 0 };
        return lookOf(look.state, await settleJob(ledger, id, reference, { retryFailed }));
      }
      if (next.kind === 'overdue') return { ...lookOf(look.state, null), overdue: true };
      if (look.state !== known) return lookOf(look.state, null);
      const wait = onSharedTick(looks, now(), next.waitMs);
      throw later(wait, `${reference} is ${look.state}; looked at ${attempt} times since the last news`);
    },
  };
}

/**
 * A look that failed is made again when the next one would be, whatever the answer was: the job was paid for, so a key
 * that is refused, or a job that is not found, is waited out until the patience ends and a person is told. And a look that found no budget, no sooner: a thousand trackers that all
 * came back for the next free request would leave the worker no time for anything else.
 */
async function patiently<T>(waitMs: number, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    if (isNotYet(error)) throw later(Math.max(waitMs, Number(error.nextRetryDelay)), error.message);
    if ((error.nextRetryDelay ?? null) !== null) throw error;
    const { message, type, details } = error;
    throw ApplicationFailure.create({
      message,
      ...(type ? { type } : {}),
      ...(details ? { details } : {}),
      nextRetryDelay: waitMs,
    });
  }
}

const lookOf = (state: string, settled: Settled | null): Look => ({
  state,
  terminal: settled !== null,
  completed: settled?.completed ?? 0,
  failed: settled?.failed ?? 0,
  overdue: false,
});

/** Reads what the service says of each URL of a partial or failed job into the ledger, page by page. */
async function readUrls({ ledger, apiOf }: Deps, { account, reference }: TrackInput): Promise<void> {
  const pages = pagesOf(
    (urlPage) =>
      answered(
        apiOf(account).ask('poll', (client) =>
          client.getSubmission(reference, { urlPage, urlLimit: LIMITS.urlPage.max }),
        ),
      ),
    ({ urls }) => urls.map(({ url }) => url).join(' '),
  );
  for await (const { urls } of pages) {
    Context.current().heartbeat();
    await recordUrlResults(ledger, account, reference, urls.map(resultOf));
  }
}

const resultOf = ({ url, state, word, reason }: UrlView): UrlResult => ({
  url,
  result: state,
  reason: reason ?? (state === 'open' ? word : null),
});
