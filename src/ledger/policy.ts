import type { Micros } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { RetryFailedPolicy } from '../submission/generations.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';

/** What a URL costs at each service level, as configured. Null: learned from charges. */
export type PriceByService = Readonly<Record<ServiceLevel, Micros | null>>;

/** The settings of an account that the ledger needs to spend. The configuration's accounts have this shape. */
export interface AccountPolicy {
  readonly id: AccountId;
  readonly baseUrl: string;
  /** The higher of the configured and the learned price counts. */
  readonly pricePerUrl: PriceByService;
  readonly spend: { readonly perDay: Micros | null; readonly perMonth: Micros | null; readonly balanceFloor: Micros };
  /** Absent: 20 hours. How long an idempotency key is trusted, in milliseconds. */
  readonly reconcile?: { readonly afterMs: number };
}

/** The settings of a watch that the ledger needs to spend. The configuration's watches have this shape. */
export interface WatchPolicy {
  readonly id: WatchId;
  readonly project: string;
  readonly service: ServiceLevel;
  readonly resubmit: { readonly onLastmodChange: boolean; readonly notWithinMs: number };
  readonly retryFailed: RetryFailedPolicy;
  readonly spend: { readonly perRun: Micros | null; readonly perDay: Micros | null; readonly perMonth: Micros | null };
}

/** Where a price comes from: the last charge, the configuration, or nowhere (then it is not guessed). */
export type PriceBasis = 'learned' | 'configured' | 'unknown';
