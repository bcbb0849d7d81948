import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { SERVICE_NAMES } from '../account-names.ts';
import type { Act } from '../scenario.ts';
import { compareCharges } from './compare-charges.ts';

const CHANGE: Act = { at: 0, kind: 'change price', forMs: 0, salt: 1 };

/** A job of two URLs: what the service charged for it, and what the ledger counts, if it has the job. */
interface Job {
  readonly theirs: number;
  readonly ours?: number;
  readonly isElsewhere?: true;
  readonly reported: 0 | 1;
}

/** What is said about these jobs, in a world whose service speaks a profile of its own, or not. */
function compare(jobs: readonly Job[], { profile, acts = [] }: { profile: number | null; acts?: readonly Act[] }) {
  const db = new DatabaseSync(':memory:');
  db.exec(`
    CREATE TABLE accounts (id INTEGER, name TEXT);
    CREATE TABLE submissions (id INTEGER, account_id INTEGER, reference TEXT, charged INTEGER);
    CREATE TABLE submission_urls (submission_id INTEGER, url TEXT);
    CREATE TABLE batches (id INTEGER, reference TEXT);
    CREATE TABLE charges (kind TEXT, account_id TEXT, of_id INTEGER, urls INTEGER, amount INTEGER, reported INTEGER)`);
  db.prepare('INSERT INTO accounts VALUES (1, ?)').run(SERVICE_NAMES.main);
  const elsewhere = new Set<string>();
  for (const [id, { theirs, ours, reported, isElsewhere }] of jobs.entries()) {
    if (isElsewhere) elsewhere.add(`R-${id}`);
    db.prepare('INSERT INTO submissions VALUES (?, 1, ?, ?)').run(id, `R-${id}`, theirs);
    db.prepare("INSERT INTO submission_urls VALUES (?, 'a'), (?, 'b')").run(id, id);
    if (ours === undefined) continue;
    db.prepare('INSERT INTO batches VALUES (?, ?)').run(id, `R-${id}`);
    db.prepare("INSERT INTO charges VALUES ('batch', 'main', ?, 2, ?, ?)").run(id, ours, reported);
  }
  const breaches: string[] = [];
  const charged = jobs.reduce((sum, { theirs, isElsewhere }) => (isElsewhere ? sum : sum + theirs), 0);
  const oracle = { check: () => undefined, charged, elsewhere, breach: (text: string) => breaches.push(text) };
  const dialect = { profile, pageLimit: 100, lagMs: 0, copies: false, filtersPages: false };
  compareCharges({
    stores: { read: { ledger: db, service: db } },
    oracle,
    wasRestored: false,
    scenario: { acts, services: { isSecondElsewhere: false, dialect } },
  } as never);
  return breaches;
}

describe('compareCharges', () => {
  const known: Job = { theirs: 400, ours: 400, reported: 1 };
  const found = (ours: number): Job => ({ theirs: 100, ours, reported: 0 });

  test('where the price changes, a job that a list without charges shows counts at a price of another time', () => {
    assert.deepEqual(compare([known, found(400)], { profile: 7, acts: [CHANGE] }), []);
    assert.equal(compare([known, found(99)], { profile: 7, acts: [CHANGE] }).length, 1, 'it never cost so little');
    assert.equal(compare([known, found(0)], { profile: 7, acts: [CHANGE] }).length, 1, 'unknown');
    const misread: Job = { theirs: 100, ours: 400, reported: 1 };
    assert.equal(compare([known, misread], { profile: 7, acts: [CHANGE] }).length, 1, 'the service reported it');
  });

  test('otherwise the ledger counts what the service charged', () => {
    assert.deepEqual(compare([known, found(100)], { profile: 7 }), []);
    assert.equal(compare([known, found(400)], { profile: 7 }).length, 1, 'the price did not change');
    assert.equal(
      compare([known, found(400)], { profile: null, acts: [CHANGE] }).length,
      1,
      'the list shows the charge',
    );
  });

  test('a job of another program is not of the ledger', () => {
    const job: Job = { theirs: 400, reported: 1, isElsewhere: true };
    assert.deepEqual(compare([known, job], { profile: null }), []);
    assert.equal(compare([known, { ...job, ours: 400 }], { profile: null }).length, 1, 'the ledger counts it');
    assert.equal(compare([known, { theirs: 400, reported: 1 }], { profile: null }).length, 1, 'it is ours');
  });
});
