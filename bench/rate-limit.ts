import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRateLimits } from '../src/rate-limit/limiter.ts';
import { toRateLimits } from '../src/rate-limit/limits.ts';

// What one request's permission costs when the day is full: take and settle, with 30,000 requests on record.
// Postgres is measured as well where COURIER_TEST_POSTGRES holds a URL.

const REQUESTS = 30_000;
const MEASURED = 1_000;
const noBudgets = {
  status: 200,
  retryAfterMs: null,
  budgets: [{ scope: '', windowSeconds: 60, limit: 120, remaining: 119, resetMs: null }],
};

async function measure(label: string, url: string): Promise<void> {
  let time = Date.now() - 2 * 86_400_000;
  const store = await openRateLimits(url, { now: () => time });
  const limiter = store.getLimiter('main', toRateLimits());
  const takes: number[] = [];
  const settles: number[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const started = performance.now();
    const permit = await limiter.acquire('submission');
    const taken = performance.now();
    if (permit.kind === 'wait') throw new Error(`request ${n} was refused: ${permit.why}`);
    await limiter.commit(permit, noBudgets);
    if (n >= REQUESTS - MEASURED) {
      takes.push(taken - started);
      settles.push(performance.now() - taken);
    }
    // As fast as the minute's ten submissions and the day's requests allow.
    time += 6_100;
  }
  await store.close();
  const at = (values: number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(share * values.length)]!.toFixed(3);
  console.log(
    `${label}: take ${at(takes, 0.5)} ms (99%: ${at(takes, 0.99)}), settle ${at(settles, 0.5)} ms (99%: ${at(settles, 0.99)})`,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'courier-rate-limit-'));
try {
  await measure('SQLite', `sqlite:${join(folder, 'ledger.db')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const postgres = process.env.COURIER_TEST_POSTGRES;
if (postgres !== undefined) {
  const url = new URL(postgres);
  url.searchParams.set('schema', `bench_rate_limit_${process.pid}`);
  await measure('Postgres', url.href);
}
