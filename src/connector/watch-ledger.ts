import { type DatabaseUnavailableError, isLasting } from '../database/database.ts';
import { describeLedgerFailure } from '../ledger/describe-failure.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { probeLedger } from '../ledger/probe-ledger.ts';

/** Probes within this time share one: a probe is a write. */
const FRESH_MS = 10_000;

export type AskLedger = () => Promise<DatabaseUnavailableError | null>;

/** Why the ledger cannot be written, or null: for readiness, metrics and alarms of one process. */
export function createLedgerProbe(ledger: Ledger): AskLedger {
  let last: { readonly at: number; readonly failure: Promise<DatabaseUnavailableError | null> } | null = null;
  return () => {
    const at = performance.now();
    if (last === null || at - last.at >= FRESH_MS) {
      const failure = probeLedger(ledger);
      last = { at, failure };
      failure.catch(() => {
        last = null;
      });
    }
    return last.failure;
  };
}

/** A failover of Postgres is over sooner. */
const LONG_MS = 60_000;

export interface LedgerWatch {
  readonly ask: AskLedger;
  readonly now: () => number;
  /** The ledger cannot be written: for a minute, or permanently. Null: it can again. Tried again after a failure. */
  readonly tell: (trouble: { readonly why: string; readonly since: number } | null) => Promise<void>;
  /** It was damaged or replaced: nothing that this process does is recorded. */
  readonly stop: (error: DatabaseUnavailableError) => void;
}

/** Returns a function that checks the ledger, and reports when trouble begins and when it ends. Call it every few seconds. */
export function createLedgerWatch({ ask, now, tell, stop }: LedgerWatch): () => Promise<void> {
  let since: number | null = null;
  let isTold = false;
  return async () => {
    const failure = await ask();
    if (failure === null) {
      if (isTold) await tell(null);
      [since, isTold] = [null, false];
      return;
    }
    since ??= now();
    const lasts = isLasting(failure.failure);
    try {
      if (!isTold && (lasts || now() - since >= LONG_MS)) {
        await tell({ why: describeLedgerFailure(failure), since });
        isTold = true;
      }
    } finally {
      if (lasts) stop(failure);
    }
  };
}
