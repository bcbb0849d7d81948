/** What the oracle knows of the world: what was sent, charged and listed, in the order in which it was. */
import type { ServiceLevel } from '../../../../contract/states.ts';
import type { Caps } from './caps-rule.ts';

/** What a sitemap's file said, as a crawl was given it. */
export interface Delivery {
  /** Counts deliveries of all files. */
  readonly order: number;
  /** The name of the sitemap of a watch, which may have two files. */
  readonly sitemap: string;
  readonly file: string;
  /** The lastmods of its pages as texts; null: none. */
  readonly pages: ReadonlyMap<string, string | null>;
  /** False: the connection broke off, and what was read exists. */
  readonly isWhole: boolean;
  /** When the crawl had it. */
  readonly at: number;
  /** The run that read it, and its watch; null: not known. */
  readonly run: string | null;
  readonly watch: string | null;
}

/** What the ledger calls a batch: asked for when its first request leaves, and believed in nothing else. */
export interface Label {
  /** The run that planned it; null: none did. */
  readonly run: string | null;
  /** Whether that run could read every sitemap of its watch. */
  readonly isRunComplete: boolean;
  /** Whether a guard held that run, whatever was decided then. */
  readonly isHeld: boolean;
  /** Whether the ledger calls it the first run of its watch. */
  readonly isFirst?: boolean;
  /** The last delivery before it was planned. */
  readonly plannedAfter: number;
}

/** A batch that was sent. Times in milliseconds since the beginning, unless they say otherwise. */
export interface Sent {
  readonly key: string;
  readonly body: string;
  readonly urls: readonly string[];
  readonly level: ServiceLevel;
  /** Whose key it was sent with, as the service calls it. */
  readonly account: string;
  /** Its name when it was first sent: caps of a watch count by its name. */
  readonly watch: string;
  readonly sitemap: string;
  /** As the ledger has it now: a copy that came back may plan the same batch again, in another run. */
  label: Label;
  /** The loosest caps and the lowest floor that were in force at any attempt that may be the charged one. */
  caps: Caps;
  floor: number;
  /** The first day, since 1970, on which it was decided to send it, and the last one on which it was sent. */
  firstDay: number;
  day: number;
  /** The first attempt that may be the charged one. */
  since: number;
  /** The last delivery before the last attempt; of a purchase, before the one that the service took. */
  sentAfter: number;
  /** The last attempt. */
  at: number;
  /** An attempt was not surely refused. */
  mayBeCharged: boolean;
  /** Attempts of which no worker knows that nothing was charged. */
  doubts: number;
  /** When a worker had read what it cost, and had the time to write it down; null: none has. */
  answeredAt: number | null;
  /** The day of that; null: none has. */
  answeredDay: number | null;
}

/** A submission that the service has charged. Money in micro-lira. */
export interface Purchase {
  readonly reference: string;
  readonly account: string;
  readonly amount: number;
  /** What was left after it. */
  readonly balance: number;
  readonly urls: readonly string[];
  readonly sent: Sent;
  /** When it was charged. */
  readonly at: number;
}

/** An index-check that the service has charged. */
export interface CheckCharge {
  readonly id: string;
  readonly account: string;
  readonly amount: number;
  readonly balance: number;
  readonly urls: readonly string[];
  readonly at: number;
}
