import type { Queryable } from '../../src/database/database.ts';
import { type Query, sql } from '../../src/database/sql.ts';

/** A place where the records of the service contradict each other. */
export interface Difference {
  /** The rule that is broken. */
  readonly rule: string;
  /** The account, entry, submission or index-check where. */
  readonly subject: string;
  readonly expected: number | string;
  readonly found: number | string;
}

type Row = Omit<Difference, 'rule'>;
/** Differences that are reported for each rule. */
const MOST = 100;

/** Each rule is one statement, so that it sees one moment of a running service. */
const RULES: readonly (readonly [rule: string, query: Query<Row>])[] = [
  [
    'the balance of an account is the sum of its entries',
    sql<Row>`
      SELECT a.name AS subject, coalesce(e.total, 0) AS expected, a.balance AS found
      FROM accounts AS a
      LEFT JOIN (SELECT account_id, sum(amount) AS total FROM entries GROUP BY account_id) AS e ON e.account_id = a.id
      WHERE a.balance <> coalesce(e.total, 0) ORDER BY a.id LIMIT ${MOST}`,
  ],
  [
    'the balance after an entry is the balance before it plus its amount',
    sql<Row>`
      SELECT 'entry ' || id AS subject, before + amount AS expected, balance_after AS found
      FROM (SELECT id, amount, balance_after,
              coalesce(lag(balance_after) OVER (PARTITION BY account_id ORDER BY id), 0) AS before FROM entries) AS e
      WHERE before + amount <> balance_after ORDER BY id LIMIT ${MOST}`,
  ],
  [
    'a submission is charged once, with its price times its URLs',
    sql<Row>`
      SELECT s.reference AS subject, s.price * s.url_count AS expected, -coalesce(e.total, 0) AS found
      FROM submissions AS s
      LEFT JOIN (SELECT account_id, subject, sum(amount) AS total, count(*) AS charges FROM entries WHERE kind = 'charge'
                 GROUP BY account_id, subject) AS e ON e.subject = s.reference AND e.account_id = s.account_id
      WHERE coalesce(e.charges, 0) <> 1 OR -e.total <> s.charged OR s.charged <> s.price * s.url_count
      ORDER BY s.id LIMIT ${MOST}`,
  ],
  [
    'the refunds of a submission are those of its entries, and at most its charge',
    sql<Row>`
      SELECT s.reference AS subject, coalesce(e.total, 0) AS expected, s.refunded AS found
      FROM submissions AS s
      LEFT JOIN (SELECT account_id, subject, sum(amount) AS total FROM entries WHERE kind = 'refund'
                 GROUP BY account_id, subject) AS e ON e.subject = s.reference AND e.account_id = s.account_id
      WHERE s.refunded <> coalesce(e.total, 0) OR s.refunded > s.charged ORDER BY s.id LIMIT ${MOST}`,
  ],
  [
    'an index-check is charged once, and a restored one is reversed once',
    sql<Row>`
      SELECT c.id AS subject, CASE c.status WHEN 'restored' THEN 0 ELSE c.charged END AS expected,
        -coalesce(e.total, 0) AS found
      FROM index_checks AS c
      LEFT JOIN (SELECT account_id, subject, sum(amount) AS total FROM entries WHERE kind IN ('charge', 'restore')
                 GROUP BY account_id, subject) AS e ON e.subject = c.id AND e.account_id = c.account_id
      WHERE -coalesce(e.total, 0) <> CASE c.status WHEN 'restored' THEN 0 ELSE c.charged END
        -- URLs without an answer are not charged.
        OR c.charged > c.price * c.url_count OR (c.price > 0 AND c.charged % c.price <> 0)
      ORDER BY c.created_at LIMIT ${MOST}`,
  ],
  [
    'a charge, a restored charge or a refund belongs to a submission or an index-check of its account',
    sql<Row>`
      SELECT 'entry ' || e.id AS subject, 'a submission or an index-check' AS expected, e.subject AS found
      FROM entries AS e
      LEFT JOIN submissions AS s ON s.reference = e.subject AND s.account_id = e.account_id
      LEFT JOIN index_checks AS c ON c.id = e.subject AND c.account_id = e.account_id
      WHERE e.kind IN ('charge', 'restore', 'refund') AND s.id IS NULL AND c.id IS NULL ORDER BY e.id LIMIT ${MOST}`,
  ],
  [
    'a submission counts its URLs as they are',
    sql<Row>`
      SELECT s.reference AS subject,
        coalesce(u.urls, 0) || ' URLs, ' || coalesce(u.completed, 0) || ' completed, ' || coalesce(u.failed, 0) || ' failed' AS expected,
        s.url_count || ' URLs, ' || s.urls_completed || ' completed, ' || s.urls_failed || ' failed' AS found
      FROM submissions AS s
      LEFT JOIN (SELECT submission_id, count(*) AS urls,
                   sum(CASE status WHEN 'completed' THEN 1 ELSE 0 END) AS completed,
                   sum(CASE status WHEN 'failed' THEN 1 ELSE 0 END) AS failed
                 FROM submission_urls GROUP BY submission_id) AS u ON u.submission_id = s.id
      WHERE s.urls_deleted_at IS NULL AND (s.url_count <> coalesce(u.urls, 0)
        OR s.urls_completed <> coalesce(u.completed, 0) OR s.urls_failed <> coalesce(u.failed, 0))
      ORDER BY s.id LIMIT ${MOST}`,
  ],
  [
    'the totals of an account are those of its submissions',
    sql<Row>`
      SELECT 'account ' || t.account_id || ', ' || t.status AS subject,
        coalesce(s.submissions, 0) || ' submissions, ' || coalesce(s.urls, 0) || ' URLs, ' || coalesce(s.spent, 0) || ' spent' AS expected,
        t.submissions || ' submissions, ' || t.urls || ' URLs, ' || t.spent || ' spent' AS found
      FROM submission_totals AS t
      LEFT JOIN (SELECT account_id, status, count(*) AS submissions, sum(url_count) AS urls,
                   sum(urls_completed) AS completed, sum(urls_failed) AS failed, sum(charged - refunded) AS spent
                 FROM submissions GROUP BY account_id, status) AS s
        ON s.account_id = t.account_id AND s.status = t.status
      WHERE t.submissions <> coalesce(s.submissions, 0) OR t.urls <> coalesce(s.urls, 0)
        OR t.completed <> coalesce(s.completed, 0) OR t.failed <> coalesce(s.failed, 0)
        OR t.spent <> coalesce(s.spent, 0)
      ORDER BY t.account_id LIMIT ${MOST}`,
  ],
  [
    'the totals of an account are those of its index-checks',
    sql<Row>`
      SELECT 'account ' || c.account_id AS subject,
        c.checks || ' checks, ' || c.urls || ' URLs, ' || c.found || ' found, ' || c.spent || ' spent' AS expected,
        coalesce(t.checks, 0) || ' checks, ' || coalesce(t.urls, 0) || ' URLs, ' || coalesce(t.urls_found, 0) || ' found, '
          || coalesce(t.spent, 0) || ' spent' AS found
      FROM (SELECT a.id AS account_id, count(k.id) AS checks, coalesce(sum(k.url_count), 0) AS urls,
              coalesce(sum(k.found_count), 0) AS found, coalesce(sum(k.charged), 0) AS spent
            FROM accounts AS a LEFT JOIN index_checks AS k ON k.account_id = a.id AND k.status = 'done'
            GROUP BY a.id) AS c
      LEFT JOIN check_totals AS t ON t.account_id = c.account_id
      WHERE c.checks <> coalesce(t.checks, 0) OR c.urls <> coalesce(t.urls, 0) OR c.found <> coalesce(t.urls_found, 0)
        OR c.spent <> coalesce(t.spent, 0)
      ORDER BY c.account_id LIMIT ${MOST}`,
  ],
  [
    'a submission has ended when every URL has an outcome',
    sql<Row>`
      SELECT reference AS subject, url_count AS expected, urls_completed + urls_failed AS found
      FROM submissions
      WHERE status IN ('completed', 'partial', 'failed') AND urls_completed + urls_failed <> url_count
      ORDER BY id LIMIT ${MOST}`,
  ],
];

/** Compares balances with entries, and charges with submissions and index-checks. Reads every row once. */
export async function findDifferences(db: Queryable): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const [rule, query] of RULES) {
    for (const row of await db.all(query)) found.push({ rule, ...row });
  }
  return found;
}
