export interface FairQueueLimits {
  /** Operations that run at the same time. */
  readonly slots: number;
  /** Of them for one customer: fewer than all, so that one blocked customer leaves slots for the others. */
  readonly slotsPerCustomer: number;
  /** Of them for one heavy customer, and for all heavy customers together. */
  readonly heavySlotsPerCustomer: number;
  readonly heavySlots: number;
  /** An operation that cannot start within this time, in milliseconds, is rejected. */
  readonly maxWaitMs: number;
}

/** The operation could not start in time. It did nothing. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError';
}

/** Runs a part of an operation and adds the time that it takes to what its customer has used. */
export type Timed = <T>(part: () => Promise<T>) => Promise<T>;

/** Statements hold the event loop for at most this long in one of its turns; those that come later start in the next one. */
const HOLD_MS = 2;
/** What a customer has used counts half after this time. */
const HALF_LIFE_MS = 1_000;
/** A customer that used this much is heavy: about a quarter of the time of one slot. */
const HEAVY_MS = 350;
/** Less than this is as good as nothing: the customer is forgotten. */
const FORGET_MS = 1;
const TIDY_EVERY_MS = 250;

/** Gives back the slot of an operation. */
type End = () => void;

interface Waiting {
  readonly start: () => void;
  readonly refuse: () => void;
  readonly until: number;
}

class Customer {
  running = 0;
  readonly waiting: Waiting[] = [];
  #used = 0;
  #at = 0;

  /** Milliseconds of slots that this customer has used lately. */
  used(now: number): number {
    this.#used *= 0.5 ** ((now - this.#at) / HALF_LIFE_MS);
    this.#at = now;
    return this.#used;
  }

  use(ms: number, now: number): void {
    this.#used = this.used(now) + ms;
  }
}

/**
 * Runs operations of many customers by what they cost: a free slot goes to the waiting customer that has used the least
 * time of slots lately, so that many cheap requests do not wait behind few expensive ones. The time is what one customer
 * takes from the others: of the event loop on SQLite, of a connection on Postgres.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #now: () => number;
  readonly #customers = new Map<string, Customer>();
  /** Those with something waiting. */
  readonly #queued = new Set<Customer>();
  #running = 0;
  #heavy = 0;
  /** Milliseconds for which statements have held this turn of the event loop. */
  #held = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: FairQueueLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Rejects with an OverloadedError when `work` did not start in time. Only what is `timed` counts as used. */
  async run<T>(name: string, work: (timed: Timed) => Promise<T>): Promise<T> {
    const customer = this.#customers.get(name) ?? new Customer();
    this.#customers.set(name, customer);
    this.#timer ??= setInterval(() => this.#tidy(), TIDY_EVERY_MS).unref();
    const end =
      customer.waiting.length === 0 && this.#mayStart(customer) ? this.#begin(customer) : await this.#wait(customer);
    try {
      const result = work((part) => this.#time(customer, part));
      // Here the thread is free again, and a slot may be, too.
      this.#startNext();
      return await result;
    } finally {
      end();
      this.#startNext();
    }
  }

  /** Operations that run, and that wait for their turn. */
  getState(): { readonly running: number; readonly waiting: number } {
    let waiting = 0;
    for (const customer of this.#queued) waiting += customer.waiting.length;
    return { running: this.#running, waiting };
  }

  #isHeavy(customer: Customer): boolean {
    return customer.used(this.#now()) > HEAVY_MS;
  }

  #mayStart(customer: Customer): boolean {
    const { slots, slotsPerCustomer, heavySlots, heavySlotsPerCustomer } = this.#limits;
    if (this.#running >= slots || this.#held >= HOLD_MS || customer.running >= slotsPerCustomer) return false;
    if (!this.#isHeavy(customer)) return true;
    return customer.running < heavySlotsPerCustomer && this.#heavy < heavySlots;
  }

  #begin(customer: Customer): End {
    const heavy = this.#isHeavy(customer) ? 1 : 0;
    this.#running++;
    customer.running++;
    this.#heavy += heavy;
    return () => {
      this.#running--;
      customer.running--;
      this.#heavy -= heavy;
    };
  }

  async #time<T>(customer: Customer, part: () => Promise<T>): Promise<T> {
    const began = this.#now();
    try {
      const result = part();
      this.#hold(this.#now() - began);
      return await result;
    } finally {
      const now = this.#now();
      customer.use(now - began, now);
    }
  }

  #hold(ms: number): void {
    if (ms <= 0) return;
    if (this.#held === 0) {
      setImmediate(() => {
        this.#held = 0;
        this.#startNext();
      });
    }
    this.#held += ms;
  }

  #wait(customer: Customer): Promise<End> {
    return new Promise((resolve, reject) => {
      customer.waiting.push({
        start: () => resolve(this.#begin(customer)),
        refuse: () => reject(new OverloadedError('the operation waited too long for a database slot')),
        until: this.#now() + this.#limits.maxWaitMs,
      });
      this.#queued.add(customer);
    });
  }

  /** Starts the next operation of the customer that used least. That one starts the next when its first part is done. */
  #startNext(): void {
    const now = this.#now();
    let least: Customer | undefined;
    for (const customer of this.#queued) {
      if (!this.#mayStart(customer)) continue;
      if (least === undefined || customer.used(now) < least.used(now)) least = customer;
    }
    const next = least?.waiting.shift();
    if (least === undefined || next === undefined) return;
    if (least.waiting.length === 0) this.#queued.delete(least);
    next.start();
  }

  /** Rejects what has waited too long, and forgets customers that do nothing. */
  #tidy(): void {
    const now = this.#now();
    for (const [name, customer] of this.#customers) {
      const { waiting } = customer;
      for (let [next] = waiting; next !== undefined && next.until <= now; [next] = waiting) {
        waiting.shift();
        next.refuse();
      }
      if (waiting.length > 0) continue;
      this.#queued.delete(customer);
      if (customer.running === 0 && customer.used(now) < FORGET_MS) this.#customers.delete(name);
    }
    if (this.#customers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
