import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** The connection is open for one copy only: the last connection to close ends the log, and that is the writer. */
const THREAD = `
const { DatabaseSync } = require('node:sqlite');
const { parentPort, workerData } = require('node:worker_threads');
parentPort.on('message', () => {
  const db = new DatabaseSync(workerData);
  try {
    db.exec('PRAGMA synchronous = FULL');
    const { page_size } = db.prepare('PRAGMA page_size').get();
    const { checkpointed } = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    // A header of 32 bytes, and before each page one of 24.
    parentPort.postMessage(32 + Math.max(checkpointed, 0) * (page_size + 24));
  } finally {
    db.close();
  }
});`;

export interface Checkpointer {
  /** Call before each transaction, while no other one of this process is open. Resolves at once but after much writing. */
  beforeTransaction(): Promise<void>;
  /** Call after each commit: the copy of a large one begins. */
  afterCommit(): void;
  close(): Promise<void>;
}

export interface CheckpointerOptions {
  readonly logBytes: number;
  readonly idleMs: number;
  /** Called once when the thread fails; from then on the caller copies the log. */
  readonly onFailure: () => void;
  /** Copies a small log between two transactions: a thread would cost more. */
  readonly copySmall: () => void;
}

/** A log that is copied within milliseconds. */
const SMALL_BYTES = 4 * 1024 * 1024;

interface Copy {
  /** The size of the log when the copy began, in bytes. */
  readonly from: number;
  readonly done: Promise<void>;
  readonly end: () => void;
}

/**
 * Copies the write-ahead log of a SQLite file into the file on a thread of its own. After a plan of millions of URLs the
 * log is gigabytes: the commit that copies it would hold the event loop for seconds, and no heartbeat goes out. SQLite
 * writes a log from its start again once all of it is copied, so the last part is copied between two transactions, and
 * writers that are faster than the copy wait for it. A log below `logBytes` is not copied: its pages are likely to be
 * written again. Once nothing was committed for `idleMs` all of it is copied: then a copy of the file alone is whole.
 */
export function createCheckpointer(
  path: string,
  { logBytes, idleMs, onFailure, copySmall }: CheckpointerOptions,
): Checkpointer {
  /** What a log grows by before it is copied once more. */
  const stepBytes = logBytes / 4;
  /** How much writers may add to the log while it is copied. Then they wait, or the log would never end. */
  const aheadBytes = 2 * logBytes;
  const log = `${path}-wal`;
  let worker: Worker | null = null;
  let copy: Copy | null = null;
  let failed = false;
  let isClosing = false;
  /** How much of the log, in bytes, is in the file. */
  let copied = 0;
  const idle = setTimeout(() => void copyIdle(), idleMs).unref();

  /** In bytes; 0 where it cannot be read. */
  function getLogSize(): number {
    try {
      const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
      if (size < copied) copied = 0;
      return size;
    } catch {
      return 0;
    }
  }

  const isDue = (size: number): boolean => !failed && size > logBytes && size - copied > stepBytes;

  function begin(size: number): Copy {
    worker ??= start();
    // A process whose writer waits for the copy must not end meanwhile.
    worker.ref();
    worker.postMessage('copy');
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    copy = { from: size, done, end };
    return copy;
  }

  function start(): Worker {
    const started = new Worker(THREAD, {
      eval: true,
      workerData: path,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    started.on('message', (bytes: number) => {
      copied = bytes;
      end();
    });
    started.on('error', () => {
      failed = true;
      onFailure();
    });
    started.on('exit', end);
    return started;
  }

  function end(): void {
    // A copy may end while `close` waits for the thread to end: without it, the process would end before `close` does.
    if (!isClosing) worker?.unref();
    copy?.end();
    copy = null;
  }

  /** The rest of a log of which most is copied: short enough to wait for. */
  const isRest = (size: number): boolean => copied > 0 && size - copied <= 2 * aheadBytes;

  function copyIdle(): void {
    const size = getLogSize();
    if (copy !== null || failed || isClosing || size === 0) return;
    if (size <= SMALL_BYTES) copySmall();
    else begin(size);
  }

  return {
    async beforeTransaction() {
      const size = getLogSize();
      if (copy !== null && size - copy.from > aheadBytes) await copy.done;
      if (copy === null && isDue(size) && isRest(size)) await begin(size).done;
    },
    afterCommit() {
      idle.refresh();
      const size = getLogSize();
      if (copy === null && isDue(size) && !isRest(size)) begin(size);
    },
    async close() {
      isClosing = true;
      clearTimeout(idle);
      worker?.ref();
      await worker?.terminate();
    },
  };
}
