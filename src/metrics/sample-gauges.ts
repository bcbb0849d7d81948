import { Gauge, type Registry } from 'prom-client';
import type { AccountSample, Sample } from './sample.ts';

/** The gauges that are read from the ledger at each scrape. */
export function createSampleGauges(register: Registry): { set(sample: Sample | null): void } {
  const all: Gauge[] = [];
  const gauge = (name: string, help: string, labelNames: string[]): Gauge => {
    const created = new Gauge({ name: `courier_${name}`, help, labelNames, registers: [register] });
    all.push(created);
    return created;
  };
  const readable = gauge('ledger_readable', '1 when the ledger could be read for this scrape, else 0.', []);
  const balance = gauge('balance_micros', 'The balance as the service last reported it.', ['account']);
  const balanceAge = gauge('balance_age_seconds', 'Time since the balance was reported.', ['account']);
  const spent = gauge('spent_micros', 'Charged in the window (UTC), index-checks included.', ['account', 'window']);
  const spendLeft = gauge('spend_left_micros', 'What a cap leaves, also after what is committed.', [
    'account',
    'window',
  ]);
  const requestsLeft = gauge('requests_left', 'Requests that the limits of the key leave now.', ['account', 'window']);
  const batches = gauge('batches', 'Batches: due, in_doubt, needs_review, or pending at the service. At most 10,000.', [
    'account',
    'state',
  ]);
  const oldest = gauge('oldest_batch_seconds', 'Age of the oldest of them; 0 when there is none.', [
    'account',
    'state',
  ]);
  const stopped = gauge('account_stopped', '1 while the account sends nothing, by reason.', ['account', 'reason']);
  const failed = gauge('watch_failed_runs', 'Runs in a row that were incomplete or abandoned, up to now.', ['watch']);
  const success = gauge('watch_last_success_timestamp_seconds', 'End of the last complete run; 0 before the first.', [
    'watch',
  ]);
  const lateAfter = gauge(
    'watch_late_after_seconds',
    'A watch is late when its last complete run is older than this.',
    ['watch'],
  );
  const held = gauge('watch_held', '1 while a run waits for a decision.', ['watch']);
  const keptBack = gauge('watch_kept_back_urls', 'URLs that caps or the balance kept back from the last run.', [
    'watch',
  ]);
  const quarantined = gauge('watch_quarantined_urls', 'URLs in quarantine; at most 10,000.', ['watch']);

  function setAccount({ account, figures, ...sample }: AccountSample, at: number): void {
    const age = (since: number | null): number => (since === null ? 0 : Math.max(0, (at - since) / 1_000));
    if (figures.balance !== null) {
      balance.set({ account }, figures.balance);
      balanceAge.set({ account }, age(figures.balanceAt));
    }
    spent.set({ account, window: 'day' }, figures.chargedToday);
    spent.set({ account, window: 'month' }, figures.chargedThisMonth);
    for (const [window, left] of Object.entries(sample.spendLeft)) {
      if (left !== null) spendLeft.set({ account, window }, left);
    }
    for (const [window, left] of Object.entries(sample.requestsLeft)) requestsLeft.set({ account, window }, left);
    for (const [state, queue] of Object.entries({
      due: figures.due,
      in_doubt: figures.inDoubt,
      pending: figures.pending,
    })) {
      batches.set({ account, state }, queue.count);
      oldest.set({ account, state }, age(queue.oldest));
    }
    batches.set({ account, state: 'needs_review' }, figures.needsReview);
    for (const [reason, is] of Object.entries(sample.stopped)) stopped.set({ account, reason }, is ? 1 : 0);
  }

  return {
    set(sample) {
      // Old figures of a ledger that cannot be read, or of a watch that was removed, would say that all is well.
      for (const each of all) each.reset();
      readable.set(sample === null ? 0 : 1);
      if (sample === null) return;
      for (const account of sample.accounts) setAccount(account, sample.at);
      for (const { watch, figures, lateAfterMs } of sample.watches) {
        if (lateAfterMs !== null) lateAfter.set({ watch }, lateAfterMs / 1_000);
        failed.set({ watch }, figures.failedRuns);
        success.set({ watch }, (figures.lastSuccessAt ?? 0) / 1_000);
        held.set({ watch }, figures.heldRun === null ? 0 : 1);
        keptBack.set({ watch }, figures.keptBackUrls);
        quarantined.set({ watch }, figures.quarantinedUrls);
      }
    },
  };
}
