import { Block } from './block.ts';

const BEYOND_ASCII = /[\x80-\xff]/;

/** The block that is being read, and where it begins in the document. */
export class Place {
  block = new Block(Buffer.alloc(0));
  base = 0;

  get text(): string {
    return this.block.text;
  }

  /** Decodes some bytes of the block. */
  decode(from: number, to: number): string {
    const piece = this.text.slice(from, to);
    return this.block.isAscii || !BEYOND_ASCII.test(piece) ? piece : this.block.bytes.toString('utf8', from, to);
  }
}
