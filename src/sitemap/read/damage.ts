import type { Place } from './place.ts';
import type { Sink } from './reader.ts';
import type { RecordLayouts } from './record-layout.ts';

/** Reports what is wrong with the markup of a block. The record that it is in does not become a layout. */
export class Damage {
  readonly #sink: Sink;
  readonly #place: Place;
  readonly #layouts: RecordLayouts;

  constructor(sink: Sink, place: Place, layouts: RecordLayouts) {
    this.#sink = sink;
    this.#place = place;
    this.#layouts = layouts;
  }

  /** Reports damage: a record may be missing. */
  malformed(what: string, at: number): void {
    this.#layouts.abandon();
    this.#sink.problem('XML_MALFORMED', 'error', what, this.#place.base + at);
  }

  /** Reports a mistake that costs no record. */
  slip(what: string, at: number): void {
    this.#layouts.abandon();
    this.#sink.problem('XML_MALFORMED', 'warning', what, this.#place.base + at);
  }

  undeclared(prefix: string, at: number): void {
    this.#layouts.abandon();
    const message = `the prefix "${prefix.slice(0, 60)}" is not declared`;
    this.#sink.problem('NAMESPACE', 'warning', message, this.#place.base + at);
  }
}
