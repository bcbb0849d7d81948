import type { Fault } from '../fault.ts';
import type { RawConfig } from '../schema.ts';
import type { At, Level, Path } from '../yaml-file.ts';

/** Settings that the schema allows and that do not do what they say. */
export interface Rule {
  /** What the settings do, in a few words. */
  readonly name: string;
  /** `error` where nothing could work, or where money would be lost; `warning` where an installation may work as it is. */
  readonly level: Level;
  /** Of a configuration whose settings with another mistake are absent, and whose entries of lists with one are null. */
  readonly find: (raw: RawConfig) => readonly Found[];
}

export interface Found {
  readonly path: Path;
  readonly fault: Fault;
  /** Where it is shown: at the value unless said otherwise. */
  readonly at?: At;
}
