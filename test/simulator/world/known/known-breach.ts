import type { Breach } from '../oracle/breaches.ts';
import type { Sequence } from '../sequences/sequence.ts';

/** A defect of the product that waits for its fix, and the events that show it. */
export interface KnownBreach extends Sequence {
  /** Its letter on the page of the findings. */
  readonly finding: string;
  /** Where it lies. */
  readonly cause: string;
  /** What its sequence breaks: the rule and what it says. When that no longer happens, the entry must go. */
  readonly expects: RegExp;
  /** Whether a breach of any other seed has exactly this cause, with its amount, page and time; absent: none has. */
  readonly explains?: (breach: Breach) => boolean;
}
