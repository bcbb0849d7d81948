/** Bytes from a client to a Postgres server that belong together. */
export interface Block {
  readonly bytes: Buffer;
  /** Whether the server answers it: a statement with its parameters, BEGIN or COMMIT. */
  readonly isStatement: boolean;
}

/** Message types that end a statement: a simple query, and the Sync after an extended one. */
const ENDS = new Set(['Q', 'S']);
/** Messages that stand for themselves: a password, and the end of the connection. */
const ALONE = new Set(['p', 'X']);

/** Cuts what a client sends to Postgres into statements, wherever its packets end. */
export class StatementReader {
  #rest = Buffer.alloc(0);
  #pending: Buffer[] = [];
  #started = false;

  read(bytes: Buffer): Block[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const blocks: Block[] = [];
    for (let message = this.#next(); message !== null; message = this.#next()) {
      const type = this.#started ? String.fromCharCode(message[0]!) : 'startup';
      this.#started = true;
      this.#pending.push(message);
      if (!ENDS.has(type) && !ALONE.has(type) && type !== 'startup') continue;
      blocks.push({ bytes: Buffer.concat(this.#pending), isStatement: ENDS.has(type) });
      this.#pending = [];
    }
    return blocks;
  }

  /** The next complete message: a type (but for the first message), then its length, itself included. */
  #next(): Buffer | null {
    const start = this.#started ? 1 : 0;
    if (this.#rest.length < start + 4) return null;
    const end = start + this.#rest.readUInt32BE(start);
    if (this.#rest.length < end) return null;
    const message = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end);
    return message;
  }
}
