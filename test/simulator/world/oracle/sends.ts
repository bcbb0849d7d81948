import { type Caps, looser } from './caps-rule.ts';
import type { Label, Sent } from './facts.ts';

/** An index-check that was sent. See Sent. */
export interface SentCheck
  extends Pick<
    Sent,
    'account' | 'caps' | 'floor' | 'firstDay' | 'day' | 'since' | 'mayBeCharged' | 'answeredDay' | 'doubts'
  > {
  readonly watch: string | null;
}

/** What is so when a request leaves. */
export interface Moment {
  /** Since the beginning, in milliseconds, and the day since 1970. */
  readonly elapsed: number;
  readonly day: number;
  /** When it was decided and written down that it leaves. */
  readonly decidedDay: number;
  /** Of the configuration. */
  readonly caps: Caps;
  readonly floor: number;
  /** The last delivery. */
  readonly order: number;
  /** A gateway answers that surely nothing was charged. */
  readonly isRefused: boolean;
}

export interface Leaving extends Pick<Sent, 'key' | 'body' | 'urls' | 'level' | 'account' | 'watch' | 'sitemap'> {
  readonly label: Label;
}

type Attempted = Pick<Sent, 'caps' | 'floor' | 'day' | 'firstDay' | 'since' | 'mayBeCharged' | 'doubts'>;

/** Another attempt: what was surely refused may have been sent under any cap. */
function note(sent: Attempted, { caps, floor, elapsed, day, decidedDay, isRefused }: Moment): void {
  sent.caps = sent.mayBeCharged ? looser(sent.caps, caps) : caps;
  sent.floor = sent.mayBeCharged ? Math.min(sent.floor, floor) : floor;
  if (!sent.mayBeCharged) sent.since = elapsed;
  sent.mayBeCharged ||= !isRefused;
  sent.firstDay = Math.min(sent.firstDay, decidedDay);
  sent.day = Math.max(sent.day, day);
  sent.doubts += 1;
}

const begin = ({ caps, floor, elapsed, decidedDay }: Moment) => ({
  ...{ caps, floor, firstDay: decidedDay, day: 0, since: elapsed, mayBeCharged: false, doubts: 0, answeredDay: null },
});

/** Batches and index-checks that left, by their keys. */
export class Sends {
  readonly #batches = new Map<string, Sent>();
  readonly #checks = new Map<string, SentCheck>();

  findBatch(key: string): Sent | undefined {
    return this.#batches.get(key);
  }

  findCheck(key: string): SentCheck | undefined {
    return this.#checks.get(key);
  }

  batchLeft({ label, ...leaving }: Leaving, moment: Moment): void {
    const { key } = leaving;
    const { elapsed, order } = moment;
    const known = this.#batches.get(key);
    const sent: Sent = known ?? { ...leaving, label, ...begin(moment), at: elapsed, sentAfter: 0, answeredAt: null };
    sent.label = sent.mayBeCharged ? { ...sent.label, run: label.run } : label;
    sent.sentAfter = order;
    note(sent, moment);
    sent.at = elapsed;
    this.#batches.set(key, sent);
  }

  checkLeft(key: string, { account, watch }: Pick<SentCheck, 'account' | 'watch'>, moment: Moment): void {
    const sent: SentCheck = this.#checks.get(key) ?? { account, watch, ...begin(moment) };
    note(sent, moment);
    this.#checks.set(key, sent);
  }

  /** The worker that sent a request has read, and has had the time to write down, that nothing was charged for it. */
  refused(key: string): void {
    const sent = this.#batches.get(key) ?? this.#checks.get(key);
    if (sent === undefined) return;
    sent.doubts -= 1;
    if (sent.doubts === 0) sent.mayBeCharged = false;
  }

  /** The worker that sent a request has read, and has had the time to write down, what it was charged. */
  answered(key: string, { elapsed, day }: Pick<Moment, 'elapsed' | 'day'>): void {
    const sent = this.#batches.get(key) ?? this.#checks.get(key);
    if (sent === undefined || sent.answeredDay !== null) return;
    sent.answeredDay = day;
    if ('answeredAt' in sent) sent.answeredAt = elapsed;
  }

  /** Those of which no worker has written down yet what they were charged. */
  listUnanswered(): readonly (Sent | SentCheck)[] {
    return [...this.#batches.values(), ...this.#checks.values()].filter(({ answeredDay }) => answeredDay === null);
  }

  /** The pages of batches that may have been charged to an account, as far as its workers know. */
  listInDoubt(account: string): ReadonlySet<string> {
    const sent = [...this.#batches.values()].filter((each) => each.account === account && each.doubts > 0);
    return new Set(sent.flatMap(({ urls }) => urls));
  }
}
