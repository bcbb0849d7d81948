import type { ServiceLevel } from '../../../contract/states.ts';
import { findAccountProblems, findRemovedProblems, findWatchProblems } from '../../../src/cli/commands/status-check.ts';
import type { Config } from '../../../src/config/config.ts';
import { explainUrl } from '../../../src/connector/explain-url.ts';
import type { AccountId } from '../../../src/submission/ids.ts';
import type { Url } from '../../../src/url/normalize-url.ts';
import { readCommitted } from './committed-ledger.ts';
import { isMoneyShort } from './money-short.ts';
import { checkTold, type StatusProblem, type Waiting } from './oracle/reported-rule.ts';
import { checkWhy } from './oracle/reports-rule.ts';
import { POISON } from './site.ts';
import type { World } from './world.ts';

const HOUR = 3_600_000;
/** So long may a batch have no known outcome before that is said. */
const LONG_IN_DOUBT_MS = HOUR;
/** Between two looks: no multiple of what else happens by the hour. */
const EVERY_MS = 47 * 60_000;

type Context = Parameters<typeof findRemovedProblems>[0];

/** All that `status --check` prints. */
export async function readStatusCheck(context: Context): Promise<readonly StatusProblem[]> {
  const { config, ledger } = context;
  const problems = await Promise.all([
    ...[...config.watches.values()].map((watch) => findWatchProblems(ledger, watch)),
    findRemovedProblems(context),
    ...[...config.accounts.values()].map((account) => findAccountProblems(context, account)),
  ]);
  return problems.flat().map(({ subject, problem }) => ({ subject, problem }));
}

/** Asks, while the world is bad, what an operator would be reported: it must be true and complete at any moment. */
export function startOnlooker(world: World): void {
  const { kernel, oracle } = world;
  const look = () => {
    if (world.isGood) return;
    lookOn(world).catch((error: unknown) => oracle.breach(`status --check or why failed: ${(error as Error).message}`));
    kernel.schedule(EVERY_MS, null, look);
  };
  kernel.schedule(EVERY_MS, null, look);
}

async function lookOn(world: World): Promise<void> {
  const context = { config: world.readConfig(), ledger: readCommitted(world) };
  const report = world.oracle.toReport('reports');
  const waiting = listWaiting(world, context.config);
  const reported = await readStatusCheck(context);
  checkTold(waiting, reported, report);
  for (const watch of context.config.watches.values()) {
    const sitemap = world.settings.watches.get(watch.id);
    const page = sitemap === undefined ? undefined : world.site.list(sitemap)[world.runs % 7];
    if (page === undefined) continue;
    const { url } = page;
    const states = readStates(world, url, watch.id);
    const reported = (await explainUrl(context, url as Url)).find((each) => each.watch === watch.id);
    if (reported === undefined) report(`why says nothing of ${url}`, { url, watch: watch.id });
    // Only what can never become true later: what the ledger cannot know yet may still be said as it was.
    else {
      const later = { isListed: false, isOpen: true, isDone: false };
      const truth = world.oracle.getTruth(url, sitemap!, url.includes(POISON));
      checkWhy({ ...truth, ...states, ...later, ...reported, url, watch: watch.id }, report);
    }
  }
}

/** What of a page is under way in the ledger now, by its plainest columns. */
export function readStates(world: World, url: string, watch: string) {
  const has = (text: string, ...values: readonly string[]) =>
    world.stores.read.ledger.prepare(`SELECT 1 FROM ${text} LIMIT 1`).get(...values) !== undefined;
  const batch = `batches AS b JOIN batch_urls AS m ON m.batch_id = b.id JOIN urls AS u ON u.id = m.url_id WHERE u.url = ?`;
  return {
    isHeld: has(
      `runs AS r JOIN watches AS w ON w.id = r.watch_id
       WHERE w.name = ? AND r.held IS NOT NULL AND r.decision IS NULL AND r.ended_at IS NULL`,
      watch,
    ),
    isInReview: has(`${batch} AND b.state = 'needs_review'`, url),
    isOnItsWay: has(`${batch} AND b.state IN ('planned', 'sending')`, url),
    mayLackMoney: world.oracle.hadLimits || isMoneyShort(world.scenario),
  };
}

interface WaitingRow {
  readonly kind: Waiting['kind'];
  readonly subject: string;
  readonly what: string;
}

interface OpenRow {
  readonly subject: string;
  readonly what: string;
  readonly service: ServiceLevel;
  readonly at: number;
}

/** What the ledger has waiting, by its plainest columns. */
function listWaiting({ stores, kernel }: World, { accounts }: Config): readonly Waiting[] {
  const rows = stores.read.ledger
    .prepare(
      `SELECT 'held' AS kind, w.name AS subject, r.name AS what FROM runs AS r JOIN watches AS w ON w.id = r.watch_id
         WHERE r.held IS NOT NULL AND r.decision IS NULL AND r.ended_at IS NULL
       UNION ALL SELECT 'in review', account_id, 'batch ' || id FROM batches WHERE state = 'needs_review'
       UNION ALL SELECT 'in doubt', account_id, 'batch ' || id FROM batches
         WHERE state IN ('planned', 'sending') AND in_doubt_since < ?`,
    )
    .all(kernel.now() - LONG_IN_DOUBT_MS) as unknown as WaitingRow[];
  const open = stores.read.ledger
    .prepare(
      `SELECT account_id AS subject, reference AS what, service, accepted_at AS at FROM batches
       WHERE state = 'accepted' AND settled_at IS NULL`,
    )
    .all() as unknown as OpenRow[];
  const overdue = open.flatMap(({ subject, what, service, at }): WaitingRow[] => {
    const tracking = accounts.get(subject as AccountId)?.tracking[service];
    const isOverdue = tracking !== undefined && at + tracking.timeoutMs < kernel.now();
    return isOverdue ? [{ kind: 'overdue', subject, what }] : [];
  });
  return [...rows, ...overdue].filter(({ kind, subject }) => kind === 'held' || accounts.has(subject as AccountId));
}
