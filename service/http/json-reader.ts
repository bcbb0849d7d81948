import { randomUUID } from 'node:crypto';
import { JsonStructure, type ListMark } from './json-structure.ts';

/** A part of a list is parsed as soon as it has this many bytes: about a millisecond. */
const PART_BYTES = 128 * 1024;
/** What surrounds the list of a valid body, and a body without one, is much smaller; so is the longest URL. */
const OUTSIDE_BYTES = 64 * 1024;
const ITEM_BYTES = 64 * 1024;

/** Stands for the list in the rest of the body. No client can know it. */
const MARKER = randomUUID();

/** What a JSON text is: its value, no JSON, or more than any valid body holds. */
export type JsonOutcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'unacceptable' };

export interface JsonReaderLimits {
  readonly partBytes?: number;
  readonly outsideBytes?: number;
  readonly itemBytes?: number;
}

/**
 * Reads JSON while it arrives. JSON.parse of 10 MB holds the event loop for 15 to 40 ms, so the first list that is large is
 * parsed in parts, each when it has arrived, and put into what is left of the body at the end. The result is that of
 * JSON.parse. A text that is large outside of that list, or in one item of it, is unacceptable.
 */
export class JsonReader {
  readonly #structure = new JsonStructure();
  // A byte order mark is kept, so the text is not JSON (RFC 8259, section 8.1).
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #partBytes: number;
  readonly #outsideBytes: number;
  readonly #itemBytes: number;
  /** The text before the list, then behind it. */
  #outside = '';
  /** The text of the list since the last cut, without its brackets. */
  #part = '';
  #bytesOfPart = 0;
  #bytesOutside = 0;
  /** `open`: the list that may become large is being read. `done`: it was, and was cut. */
  #list: 'none' | 'open' | 'done' = 'none';
  #items: unknown[] | null = null;
  #invalid = false;
  #unacceptable = false;

  constructor({ partBytes = PART_BYTES, outsideBytes = OUTSIDE_BYTES, itemBytes = ITEM_BYTES }: JsonReaderLimits = {}) {
    this.#partBytes = partBytes;
    this.#outsideBytes = outsideBytes;
    this.#itemBytes = itemBytes;
  }

  /** Reads the next chunk. Returns false when the structure is more than that of any valid body: read no further. */
  read(bytes: Uint8Array): boolean {
    let from = 0;
    const take = (to: number) => {
      this.#take(bytes.subarray(from, to));
      from = to;
    };
    const accepted = this.#structure.accepts(bytes, (mark, index) => this.#meet(mark, index, from, take));
    if (accepted) take(bytes.length);
    else this.#unacceptable = true;
    return accepted;
  }

  end(): JsonOutcome {
    if (this.#unacceptable) return { kind: 'unacceptable' };
    try {
      this.#append(this.#decoder.decode());
      // After #append: an incomplete character at the end makes the text invalid.
      if (this.#invalid) return { kind: 'invalid' };
      if (this.#items === null) return { kind: 'value', value: JSON.parse(this.#outside + this.#part) };
      if (this.#list !== 'done') return { kind: 'invalid' };
      return { kind: 'value', value: putInto(JSON.parse(this.#outside), this.#items) };
    } catch {
      return { kind: 'invalid' };
    }
  }

  #meet(mark: ListMark, index: number, from: number, take: (to: number) => void): void {
    if (this.#list === 'done') return;
    if (mark === 'begin') {
      // An earlier list was small: it belongs to what surrounds this one.
      take(index + 1);
      this.#outside += this.#part;
      this.#part = '';
      this.#bytesOutside += this.#bytesOfPart;
      this.#bytesOfPart = 0;
      this.#list = 'open';
    } else if (this.#list === 'open' && mark === 'comma' && this.#bytesOfPart + index - from >= this.#partBytes) {
      take(index);
      this.#parsePart();
      // The comma itself: what comes next must be an item.
      take(index + 1);
      this.#part = '';
    } else if (this.#list === 'open' && mark === 'end') {
      take(index);
      this.#list = this.#items === null ? 'none' : 'done';
      if (this.#items === null) return;
      this.#parsePart();
      this.#outside += JSON.stringify(MARKER);
    }
  }

  #take(bytes: Uint8Array): void {
    if (this.#invalid || this.#unacceptable) return;
    if (this.#list === 'open') this.#bytesOfPart += bytes.length;
    else this.#bytesOutside += bytes.length;
    if (this.#bytesOfPart > this.#partBytes + this.#itemBytes || this.#bytesOutside > this.#outsideBytes) {
      this.#unacceptable = true;
      return;
    }
    try {
      this.#append(this.#decoder.decode(bytes, { stream: true }));
    } catch {
      this.#invalid = true;
    }
  }

  #append(text: string): void {
    if (this.#list === 'open' || (this.#list === 'none' && this.#part !== '')) this.#part += text;
    else this.#outside += text;
  }

  #parsePart(): void {
    const text = this.#part;
    this.#part = '';
    this.#bytesOfPart = 0;
    if (this.#invalid || this.#unacceptable) return;
    try {
      const items = JSON.parse(`[${text}]`) as unknown[];
      // Between two commas, or between a comma and the bracket, there must be an item.
      if (items.length === 0) this.#invalid = true;
      this.#items ??= [];
      for (const item of items) this.#items.push(item);
    } catch {
      this.#invalid = true;
    }
  }
}

/** Puts the items in place of the list that holds the marker alone. A later member of the same name may have replaced it. */
function putInto(value: unknown, items: readonly unknown[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(member) || member.length !== 1 || member[0] !== MARKER) continue;
    // An assignment to __proto__ would not make a member.
    Object.defineProperty(value, name, { value: items, enumerable: true, writable: true, configurable: true });
  }
  return value;
}
