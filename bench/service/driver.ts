import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from '../../service/migrations.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';

export interface Alone {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/**
 * Transactions a second of the driver alone: the same statements, tables and durability as an accepted submission,
 * without HTTP, validation or a seam.
 */
export async function driverAlone(path: string, urls: readonly string[], count: number): Promise<Alone> {
  const seam = openDatabase(`sqlite:${path}`);
  await migrate(seam, 'service', MIGRATIONS, 0);
  await seam.close();
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA foreign_keys = ON');
  db.exec(
    "INSERT INTO accounts (id, public_id, name, balance, price_standard, price_fast, created_at) VALUES (1, 'acc_1', 'driver', 1000000000000000, 1000, 1000, 0)",
  );
  const claim =
    db.prepare(`INSERT INTO submissions (reference, account_id, idempotency_key, fingerprint, project, searchable, service, status, url_count, price, charged, created_at, ran_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, (SELECT price_standard FROM accounts WHERE id = ?), (SELECT price_standard * ? FROM accounts WHERE id = ?), ?, (SELECT ran FROM clock))
    ON CONFLICT (account_id, idempotency_key) DO NOTHING RETURNING id, reference, charged`);
  const take = db.prepare('UPDATE accounts SET balance = balance - ? WHERE id = ? AND balance >= ? RETURNING balance');
  const entry = db.prepare(
    'INSERT INTO entries (account_id, kind, amount, balance_after, subject, reverses, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id',
  );
  const insert = db.prepare(
    'INSERT INTO submission_urls (submission_id, position, url, url_key) SELECT CAST(? AS BIGINT), key, substr(value, 17), CAST(substr(value, 1, 16) AS BIGINT) FROM json_each(?) AS sent',
  );
  const print = randomBytes(32);
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (let index = 0; index < count; index++) {
    const reference = `sub_${String(index).padStart(26, '0')}`;
    // Keys of URLs are as good as random, and so are these.
    const rows = JSON.stringify(urls.map((url) => String(Math.floor(Math.random() * 2 ** 53)).padStart(16, '0') + url));
    db.exec('BEGIN IMMEDIATE');
    const row = claim.get(
      reference,
      1,
      `driver-${index}`,
      print,
      'API Submission',
      `api submission\n${reference}`,
      'standard',
      urls.length,
      1,
      urls.length,
      1,
      index,
    ) as { id: number; charged: number };
    const { balance } = take.get(row.charged, 1, row.charged) as { balance: number };
    entry.get(1, 'charge', -row.charged, balance, reference, null, index);
    insert.run(row.id, rows);
    db.exec('COMMIT');
  }
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  db.close();
  return { perSecond: count / seconds, cpuMicros: (user + system) / count };
}
