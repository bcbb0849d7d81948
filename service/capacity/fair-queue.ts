import type { Database, Queryable } from '../../src/database/database.ts';

export interface FairQueueLimits {
  /** Operations that run at the same time. */
  readonly slots: number;
  /** Of them for one customer: fewer than all, so that one blocked customer leaves slots for the others. */
  readonly slotsPerCustomer: number;
  /** An operation that cannot start within this time, in milliseconds, is rejected. */
  readonly maxWaitMs: number;
}

/** The operation could not start in time. It did nothing. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError';
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: () => void;
  readonly until: number;
}

interface Customer {
  running: number;
  readonly waiting: Waiting[];
}

/** Runs operations of many customers in turn: each free slot goes to the next waiting customer. */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** Customers with something running or waiting; the order is the order of their turns. */
  readonly #customers = new Map<string, Customer>();
  #running = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /** Rejects with an OverloadedError when `work` did not start in time. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const customer = this.#customers.get(name) ?? { running: 0, waiting: [] };
    this.#customers.set(name, customer);
    if (this.#running < this.#limits.slots && customer.running < this.#limits.slotsPerCustomer) this.#begin(customer);
    else await this.#wait(customer);
    try {
      return await work();
    } finally {
      this.#end(name, customer);
    }
  }

  /** Operations that run, and that wait for their turn. */
  getState(): { readonly running: number; readonly waiting: number } {
    let waiting = 0;
    for (const customer of this.#customers.values()) waiting += customer.waiting.length;
    return { running: this.#running, waiting };
  }

  #begin(customer: Customer): void {
    this.#running++;
    customer.running++;
  }

  #wait(customer: Customer): Promise<void> {
    return new Promise((resolve, reject) => {
      customer.waiting.push({
        start: () => {
          this.#begin(customer);
          resolve();
        },
        refuse: () => reject(new OverloadedError('the operation waited too long for a database slot')),
        until: performance.now() + this.#limits.maxWaitMs,
      });
      this.#timer ??= setInterval(() => this.#refuseLate(), 250).unref();
    });
  }

  #end(name: string, customer: Customer): void {
    this.#running--;
    customer.running--;
    if (customer.running === 0 && customer.waiting.length === 0) this.#customers.delete(name);
    this.#startNext();
  }

  #startNext(): void {
    if (this.#running >= this.#limits.slots) return;
    for (const [name, customer] of this.#customers) {
      const [next] = customer.waiting;
      if (next === undefined || customer.running >= this.#limits.slotsPerCustomer) continue;
      // To the end of the order: all other customers come before this one's next turn.
      this.#customers.delete(name);
      this.#customers.set(name, customer);
      customer.waiting.shift();
      next.start();
      return;
    }
  }

  #refuseLate(): void {
    const now = performance.now();
    let left = 0;
    for (const [name, { waiting, running }] of this.#customers) {
      for (let [next] = waiting; next !== undefined && next.until <= now; [next] = waiting) {
        waiting.shift();
        next.refuse();
      }
      left += waiting.length;
      if (waiting.length === 0 && running === 0) this.#customers.delete(name);
    }
    if (left > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The database as one customer sees it: every statement and transaction takes its turn in the queue. */
export function takeTurns(db: Database, queue: FairQueue, customer: string): Database {
  const turn = <T>(work: () => Promise<T>): Promise<T> => queue.run(customer, work);
  return {
    ...db,
    all: (query) => turn(() => db.all(query)),
    get: (query) => turn(() => db.get(query)),
    one: (query) => turn(() => db.one(query)),
    run: (query) => turn(() => db.run(query)),
    tx: <T>(work: (tx: Queryable) => Promise<T>) => turn(() => db.tx(work)),
  };
}

/** Slots for a database: a Postgres pool keeps two connections for the service's own work. */
export function toQueueLimits({ connections }: Database): FairQueueLimits {
  const slots = connections === undefined ? 64 : Math.max(1, connections - 2);
  return { slots, slotsPerCustomer: Math.max(1, Math.ceil(slots / 2)), maxWaitMs: 5_000 };
}
