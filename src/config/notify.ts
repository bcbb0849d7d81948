import { hostname } from 'node:os';
import type { Static } from 'typebox';
import { parseDuration } from './duration.ts';
import { NOTICE_KINDS, type NoticeKind } from './notice-kinds.ts';
import type { Notify } from './schema/notify.ts';
import type { SecretReference } from './schema.ts';

/** An address in the file, or where it is kept. */
export type AddressReference = string | SecretReference;

export type Channel =
  | { readonly kind: 'webhook'; readonly url: AddressReference; readonly secret: SecretReference | null }
  | { readonly kind: 'slack' | 'teams'; readonly url: AddressReference }
  | { readonly kind: 'email'; readonly server: SecretReference; readonly from: string; readonly to: readonly string[] };

export interface NotifySettings {
  /** What messages call this installation. */
  readonly name: string;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly events: readonly NoticeKind[];
  readonly failedRuns: number;
  readonly noSuccessAfterMs: number;
  readonly balanceDays: number;
  readonly digest: { readonly cron: string; readonly timezone: string } | null;
  readonly ping: AddressReference | null;
}

export type RawNotify = Static<typeof Notify>;
type RawChannel = NonNullable<RawNotify['channels']>[string];

const DAY = 86_400_000;

/** `resolve` makes the path of a secret file absolute. */
export function toNotifySettings(
  raw: RawNotify,
  resolve: <Reference extends AddressReference>(reference: Reference) => Reference,
): NotifySettings {
  return {
    name: raw.name ?? hostname(),
    channels: new Map(Object.entries(raw.channels ?? {}).map(([name, channel]) => [name, toChannel(channel, resolve)])),
    events: (raw.events as NoticeKind[] | undefined) ?? NOTICE_KINDS,
    failedRuns: raw.failed_runs ?? 2,
    noSuccessAfterMs: parseDuration(raw.no_success_after ?? '2d') ?? 2 * DAY,
    balanceDays: raw.balance_days ?? 7,
    digest: raw.digest === undefined ? null : { cron: raw.digest.cron, timezone: raw.digest.timezone ?? 'UTC' },
    ping: raw.ping === undefined ? null : resolve(raw.ping),
  };
}

function toChannel(
  { webhook, slack, teams, email }: RawChannel,
  resolve: <Reference extends AddressReference>(reference: Reference) => Reference,
): Channel {
  if (webhook !== undefined) {
    const secret = webhook.secret === undefined ? null : resolve(webhook.secret);
    return { kind: 'webhook', url: resolve(webhook.url), secret };
  }
  if (slack !== undefined) return { kind: 'slack', url: resolve(slack.url) };
  if (teams !== undefined) return { kind: 'teams', url: resolve(teams.url) };
  if (email !== undefined) return { kind: 'email', server: resolve(email.server), from: email.from, to: email.to };
  throw new RangeError('a channel without a form passed the checks of the configuration');
}
