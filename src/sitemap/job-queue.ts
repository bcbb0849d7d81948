interface Lane<Job> {
  readonly jobs: Job[];
  next: number;
  /** Jobs that were taken and have not ended. */
  open: number;
}

/**
 * Jobs that wait, by host: in the order in which they came for one host, and between hosts the one with the fewest open
 * jobs first. A slow host therefore occupies one place while sitemaps of other hosts wait.
 */
export class JobQueue<Job> {
  readonly #getHost: (job: Job) => string;
  readonly #lanes = new Map<string, Lane<Job>>();
  /** The lanes with a waiting job, by the number of their open jobs: taking one does not depend on how many there are. */
  readonly #waiting: Set<Lane<Job>>[] = [];
  #size = 0;

  constructor(getHost: (job: Job) => string) {
    this.#getHost = getHost;
  }

  push(job: Job): void {
    const host = this.#getHost(job);
    const lane = this.#lanes.get(host) ?? { jobs: [], next: 0, open: 0 };
    this.#lanes.set(host, lane);
    lane.jobs.push(job);
    this.#size += 1;
    this.#wait(lane);
  }

  /** Takes the next job. Call `end` when it is done. */
  take(): Job | undefined {
    const lane = this.#waiting
      .find((lanes) => lanes !== undefined && lanes.size > 0)
      ?.values()
      .next().value;
    const job = lane?.jobs[lane.next];
    if (lane === undefined || job === undefined) return undefined;
    this.#waiting[lane.open]?.delete(lane);
    lane.next += 1;
    lane.open += 1;
    this.#size -= 1;
    if (lane.next === lane.jobs.length) {
      lane.jobs.length = 0;
      lane.next = 0;
    } else this.#wait(lane);
    return job;
  }

  end(job: Job): void {
    const lane = this.#lanes.get(this.#getHost(job));
    if (lane === undefined) return;
    this.#waiting[lane.open]?.delete(lane);
    lane.open -= 1;
    if (lane.jobs.length > lane.next) this.#wait(lane);
  }

  /** Drops the jobs that wait. Returns their number. */
  drop(): number {
    const dropped = this.#size;
    for (const lane of this.#lanes.values()) {
      lane.jobs.length = 0;
      lane.next = 0;
    }
    this.#waiting.length = 0;
    this.#size = 0;
    return dropped;
  }

  #wait(lane: Lane<Job>): void {
    for (let open = this.#waiting.length; open <= lane.open; open += 1) this.#waiting.push(new Set());
    this.#waiting[lane.open]?.add(lane);
  }
}
