import { setTimeout as sleep } from 'node:timers/promises';
import { openRateLimits } from '../../../src/rate-limit/limiter.ts';
import { type Lane, toRateLimits } from '../../../src/rate-limit/limits.ts';

// A worker process with more work than the budget allows: it sends whenever it may, until its parent ends it.
const [ledgerUrl = '', address = '', minuteMs = '', ...lanes] = process.argv.slice(2);
const store = await openRateLimits(ledgerUrl);
const budget = store.getLimiter('main', toRateLimits({}, Number(minuteMs)));

async function work(lane: Lane): Promise<never> {
  for (;;) {
    const permit = await budget.acquire(lane);
    if (permit.kind === 'wait') {
      await sleep(permit.waitMs);
      continue;
    }
    const answer = await fetch(`${address}/${lane}`, { method: 'POST' });
    await answer.arrayBuffer();
    await budget.commit(permit, { status: answer.status, retryAfterMs: null, budgets: [] });
  }
}

await Promise.all((lanes as Lane[]).map(work));
