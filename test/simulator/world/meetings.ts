import type { StateName } from './acts/states.ts';
import type { ActKind } from './scenario.ts';

/** An act that was played, and what the ledger had when it began. */
export interface Meeting {
  readonly kind: ActKind;
  /** Virtual milliseconds since the beginning, behind its moment. */
  readonly at: number;
  readonly states: readonly StateName[];
}

/** The acts of a seed. */
export class Meetings {
  readonly #all = new Set<Meeting>();

  /** Returns what takes it back, for an act that found nothing to do. */
  begin(kind: ActKind, at: number, states: readonly StateName[]): () => void {
    const meeting: Meeting = { kind, at, states };
    this.#all.add(meeting);
    return () => this.#all.delete(meeting);
  }

  list(): readonly Meeting[] {
    return [...this.#all];
  }
}
