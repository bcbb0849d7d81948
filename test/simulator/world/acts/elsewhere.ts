import { SERVICE_NAMES } from '../account-names.ts';
import type { World } from '../world.ts';
import type { Play } from './play.ts';

/** In which order the jobs of another program come into the list, by their times. */
const ORDERS = ['newest first', 'oldest first', 'shuffled'] as const;
const HOUR = 3_600_000;

export const ELSEWHERE_PLAYS = {
  /** Another program of the customer has hundreds of jobs on the account: of pages of its own, and of an hour at most. */
  async 'jobs elsewhere'(world, { salt }, random) {
    const count = 50 + Math.floor(random() * 250);
    const order = ORDERS[Math.floor(random() * ORDERS.length)]!;
    const now = world.kernel.now();
    const ages = Array.from({ length: count }, () => Math.floor(random() * HOUR)).sort((a, b) =>
      order === 'newest first' ? b - a : order === 'oldest first' ? a - b : 0,
    );
    for (const [n, age] of ages.entries()) insertJob(world, `else_${salt.toString(36)}_${n}`, now - age, random);
    world.kernel.trace(`another program has ${count} jobs, ${order}`);
  },
} satisfies Record<string, Play>;

/** A job as the service keeps one that has ended. */
function insertJob({ stores, oracle, scenario }: World, reference: string, at: number, random: () => number): void {
  const service = stores.read.service;
  const urls = Array.from(
    { length: 1 + Math.floor(random() * 3) },
    (_, n) => `https://other.example/${reference}/${n}`,
  );
  const project = 'Another shop';
  oracle.jobElsewhere(reference);
  service
    .prepare(
      `INSERT INTO submissions (reference, account_id, idempotency_key, fingerprint, project, searchable, service, status,
         url_count, urls_completed, price, charged, created_at, ran_at, dispatched_at, started_at, finished_at)
       SELECT ?, id, ?, zeroblob(32), ?, lower(?), 'fast', 'completed', ?, ?, ?, ?, ?, 0, ?, ?, ? FROM accounts WHERE name = ?`,
    )
    .run(
      ...[reference, `key-${reference}`, project, project, urls.length, urls.length, scenario.price],
      ...[urls.length * scenario.price, at, at, at, at + 60_000, SERVICE_NAMES.main],
    );
  const add = service.prepare(
    `INSERT INTO submission_urls (submission_id, position, url, url_key, status)
     SELECT id, ?, ?, ?, 'completed' FROM submissions WHERE reference = ?`,
  );
  for (const [position, url] of urls.entries()) add.run(position, url, position, reference);
}
