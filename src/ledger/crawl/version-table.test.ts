import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, DAY, HOUR, type Site, sendAll, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';

/** The page in file F or G of a watch with this lastmod; null: without one. `cut`: the visit breaks off after it. */
interface Seen {
  readonly file?: 'F' | 'G';
  readonly lastmod: string | null;
  readonly cut?: true;
  readonly buys: boolean;
}

const seen = (lastmod: string | null, buys: 'yes' | 'no', file: 'F' | 'G' = 'F'): Seen => ({
  file,
  lastmod,
  buys: buys === 'yes',
});
const cut = (lastmod: string): Seen => ({ lastmod, cut: true, buys: false });

/** Each step changes one file, the other one stands. The first buys the page as a new one. */
const TABLE: Readonly<Record<string, readonly Seen[]>> = {
  'one moment in three formats': [
    seen('2026-02-01T10:00Z', 'yes'),
    seen('2026-02-01T13:00+03:00', 'no'),
    seen('2026-02-01T10:00:00.000Z', 'no'),
  ],
  'the same file shows a later one': [seen('2026-02-01T10:00:00Z', 'yes'), seen('2026-02-01T10:00:01Z', 'yes')],
  'another file shows an older one, and moves it': [
    seen('2026-02-01', 'yes'),
    seen('2026-01-01', 'no', 'G'),
    seen('2026-01-02', 'no', 'G'),
    seen('2026-01-03', 'no', 'G'),
  ],
  'another file shows a later one, then the first the same': [
    seen('2026-02-01', 'yes'),
    seen('2026-02-03', 'yes', 'G'),
    seen('2026-02-03', 'no'),
  ],
  'flapping between two': [
    seen('2026-02-01', 'yes'),
    seen('2026-02-02', 'yes'),
    seen('2026-02-01', 'no'),
    seen('2026-02-02', 'no'),
  ],
  'backdated twice, then later than what was bought': [
    seen('2026-02-05T10:00:00Z', 'yes'),
    seen('2026-02-01', 'no'),
    seen('2026-02-03', 'no'),
    seen('2026-02-05T10:00:01Z', 'yes'),
  ],
  'a day, a moment of it, the day, the next ones': [
    seen('2026-02-05', 'yes'),
    seen('2026-02-05T10:00Z', 'no'),
    seen('2026-02-05', 'no'),
    seen('2026-02-06', 'no'),
    seen('2026-02-07', 'yes'),
  ],
  'a day, then two moments of it': [
    seen('2026-02-05', 'yes'),
    seen('2026-02-05T10:00Z', 'no'),
    seen('2026-02-05T15:00Z', 'yes'),
  ],
  'a moment, in another file the day that its zone names, then the next edit': [
    seen('2026-02-05T22:30Z', 'yes'),
    seen('2026-02-06', 'no', 'G'),
    seen('2026-02-06T15:00Z', 'yes'),
  ],
  'unknown, a known one, none, the same, a later one': [
    seen(null, 'yes'),
    seen('2026-02-01', 'no'),
    seen(null, 'no'),
    seen('2026-02-01', 'no'),
    seen('2026-02-02', 'yes'),
  ],
  'a minute, seconds of it, the next minute': [
    seen('2026-02-01T10:00Z', 'yes'),
    seen('2026-02-01T10:00:30Z', 'no'),
    seen('2026-02-01T10:00Z', 'no'),
    seen('2026-02-01T10:00:30.5Z', 'no'),
    seen('2026-02-01T10:01Z', 'yes'),
  ],
  'a visit that broke off shows a later one that the next takes back': [
    seen('2026-01-01', 'yes'),
    cut('2026-01-05'),
    seen('2026-01-01', 'no'),
    seen('2026-01-06', 'yes'),
  ],
  'a moment, a day that may be it, a later moment that may be that day': [
    seen('2026-02-05T10:00:00Z', 'yes'),
    cut('2026-02-07'),
    seen('2026-02-06', 'no'),
    seen('2026-02-06T04:00:00Z', 'yes'),
  ],
  'no date at all, in many ways, then a date and a later one': [
    seen('soon', 'yes'),
    seen('2099-01-01', 'no'),
    seen('2026-02-01', 'no'),
    seen('never', 'no'),
    seen('2026-02-02', 'yes'),
  ],
};

describe('what is bought of a page', () => {
  for (const [name, steps] of Object.entries(TABLE)) {
    testLedger(name, async (ledger) => {
      ledger.pass(60 * DAY);
      const files: Record<string, Site[string]> = {};
      for (const [n, { file = 'F', lastmod, cut: isCut, buys }] of steps.entries()) {
        const run = `r${n}` as RunId;
        const page = lastmod === null ? '1' : (['1', lastmod] as const);
        await crawled(ledger, run, { ...files, [file]: isCut ? { cut: [page] } : [page] });
        if (isCut) await endRun(ledger, run, 'finished');
        else {
          files[file] = [page];
          const { urls } = await planRun(ledger, run, { account: ACCOUNT, watch: WATCH });
          assert.equal(urls === 1, buys, `step ${n + 1}, ${lastmod}`);
          await sendAll(ledger);
          await ledger.db.run({
            strings: ["UPDATE urls SET state = 'completed' WHERE state = 'submitted'"],
            parts: [],
          });
          await endRun(ledger, run, 'finished');
        }
        ledger.pass(HOUR);
      }
    });
  }
});
