import { isAscii } from 'node:buffer';

/** A piece of a document in UTF-8, and its Latin-1 view: there an index in the string is an index in the bytes. */
export class Block {
  readonly bytes: Buffer;
  /** Of the same bytes. */
  readonly view: DataView;
  #text: string | undefined;
  #isAscii: boolean | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Made when it is first asked for: a block whose records are all recognized by their bytes needs none. */
  get text(): string {
    this.#text ??= this.bytes.toString('latin1');
    return this.#text;
  }

  /**
   * Some of the text. `alone`: where few texts of a block are kept. Others are slices, which V8 makes faster and which
   * keep the string of the whole block alive.
   */
  slice(from: number, to: number, alone: boolean): string {
    return alone ? this.bytes.toString('latin1', from, to) : this.text.slice(from, to);
  }

  get isAscii(): boolean {
    this.#isAscii ??= isAscii(this.bytes);
    return this.#isAscii;
  }
}
