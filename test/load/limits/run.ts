import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { BASE_PATH } from '../../../contract/version.ts';
import { MIGRATIONS } from '../../../service/migrations.ts';
import { openService } from '../../../service/serve.ts';
import { DEFAULT_SETTINGS } from '../../../service/settings.ts';
import type { Database } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { openDatabase } from '../../../src/database/open.ts';
import type { Query } from '../../../src/database/sql.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { type Dialect, emptyDatabaseUrl } from '../../support/database.ts';
import { lira } from '../../support/service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** On no boundary of a bucket. */
const START = 1_800_000_000_123;

export interface ClientLimits {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
}

export interface LimitsSummary {
  readonly sent: number;
  /** Requests within the limits that were refused: must be 0. */
  readonly refused: number;
  /** Requests that were one more than a limit, and how many of them were refused: all must be. */
  readonly oneMore: number;
  readonly oneMoreRefused: number;
  /** Refusals whose Retry-After was longer than the time until the next request that the limits allow. */
  readonly wrongRetryAfter: number;
}

/**
 * A client that uses up its limits exactly, for two days of a clock of its own: each day as many hours as the limit of the
 * day allows, the first day in bursts at the limit of the minute, the second at a steady pace. When the budget of an hour
 * or of the day is used up, it sends one more.
 */
export async function runExactClient(t: Cleanup, dialect: Dialect, limits: ClientLimits): Promise<LimitsSummary> {
  let clock = START;
  const url = emptyDatabaseUrl(t, dialect);
  const db = withClock(openDatabase(url, { groupCommit: true, synchronous: 'NORMAL' }), () => clock);
  await migrate(db, 'service', MIGRATIONS, START);
  const { minute, hour, day, submissions } = DEFAULT_SETTINGS.budgets;
  const { app, accounts, close } = await openService(db, {
    now: () => clock,
    settings: {
      budgets: {
        minute: { ...minute, limit: limits.minute },
        hour: { ...hour, limit: limits.hour },
        day: { ...day, limit: limits.day },
        submissions,
      },
    },
  });
  t.after(close);
  const { id } = await accounts.createAccount({ name: 'exact', balance: lira('1'), price: lira('0.01') });
  const { apiKey } = await accounts.createKey({ account: id });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const ask = async (at: number): Promise<IncomingMessage> => {
    clock = at;
    const [answer] = (await once(
      get(`${origin}${BASE_PATH}/balance`, { agent, headers: { 'x-api-key': apiKey } }),
      'response',
    )) as [IncomingMessage];
    await once(answer.resume(), 'end');
    return answer;
  };

  const summary = { sent: 0, refused: 0, oneMore: 0, oneMoreRefused: 0, wrongRetryAfter: 0 };
  async function askOneMore(at: number, allowedAt: number): Promise<void> {
    const { statusCode, headers } = await ask(at);
    summary.oneMore++;
    if (statusCode === 429) summary.oneMoreRefused++;
    if (Number(headers['retry-after']) > Math.ceil((allowedAt - at) / 1_000)) summary.wrongRetryAfter++;
  }

  const hours = limits.day / limits.hour;
  for (const [index, pace] of [burstPace, steadyPace].entries()) {
    const morning = START + index * DAY_MS;
    for (let number = 0; number < hours; number++) {
      const start = morning + number * HOUR_MS;
      const offsets = pace(limits);
      for (const offset of offsets) {
        const { statusCode } = await ask(start + offset);
        summary.sent++;
        if (statusCode !== 200) summary.refused++;
      }
      const isLast = number === hours - 1;
      const after = start + (offsets.at(-1) ?? 0) + MINUTE_MS;
      // At a steady pace the first bucket of the hour leaves before the last request comes: the day alone is used up.
      if (isLast || pace === burstPace) await askOneMore(after, isLast ? morning + DAY_MS : start + HOUR_MS);
    }
  }
  return summary;
}

/** Evenly over the hour. */
const steadyPace = ({ hour }: ClientLimits): number[] =>
  Array.from({ length: hour }, (_, index) => Math.floor((index * HOUR_MS) / hour));

/** As many in one millisecond as the minute allows, a minute later as many again. */
const burstPace = ({ minute, hour }: ClientLimits): number[] =>
  Array.from({ length: hour }, (_, index) => Math.floor(index / minute) * MINUTE_MS);

/** On Postgres the service counts with the database's time: here with this clock. */
function withClock(db: Database, clock: () => number): Database {
  return {
    ...db,
    get: async <Row>(query: Query<Row>) => {
      const row = await db.get(query);
      return row !== undefined && Object.hasOwn(row as object, 'now') ? { ...row, now: clock() } : row;
    },
  };
}
