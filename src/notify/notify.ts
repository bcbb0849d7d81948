import type { Config } from '../config/config.ts';
import { recordConditions } from '../ledger/notices/conditions.ts';
import { deleteMessagesEndedBefore, enqueue } from '../ledger/notices/queue.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Logger } from '../observability/log.ts';
import { deliverMessages } from './deliver.ts';
import { createDigest } from './digest.ts';
import { type FindOptions, findConditions, type Notice } from './find-conditions.ts';
import { getInstallation } from './installation.ts';
import { type Draft, describeLedger, describeTransition, type Message } from './message.ts';
import { createRedactor } from './redact.ts';
import { sendMessage } from './send.ts';

export interface NotifierOptions extends FindOptions {
  readonly ledger: Ledger;
  readonly getConfig: () => Config;
  readonly log: Logger;
  /** Whether a channel took no message at the last attempt. */
  readonly setUndelivered?: (is: boolean) => void;
  /** Replaced by tests. */
  readonly send?: typeof sendMessage;
}

export interface Notifier {
  /** Finds what began, grew or ended since the last call, and queues its messages. */
  check(): Promise<void>;
  /** Delivers what is queued. */
  deliver(): Promise<void>;
  /** Queues the summary of the last 24 hours, once for `occasion`. */
  queueDigest(occasion: string): Promise<void>;
  /**
   * Tells every channel that the ledger cannot be written, or null: that it can again. At once and without the queue, which is in
   * the ledger. Rejects when no channel took it.
   */
  tellLedger(trouble: { readonly why: string; readonly since: number } | null): Promise<void>;
  /** Deletes delivered messages beyond their age. */
  forget(): Promise<void>;
}

const KEPT_MS = 30 * 86_400_000;

export function createNotifier({
  ledger,
  getConfig,
  log,
  setUndelivered = () => undefined,
  send = sendMessage,
  ...find
}: NotifierOptions): Notifier {
  let troubledSince = find.startedAt;
  /** Channels that took no message at the last attempt. */
  const failing = new Set<string>();
  const toText = (draft: Draft, config: Config, ids: readonly string[] = []): string => {
    const redact = createRedactor(config, ids);
    const texts = { title: redact(draft.title), lines: draft.lines.map(redact) };
    return JSON.stringify({ ...draft, ...texts, installation: getInstallation(config) } satisfies Message);
  };

  return {
    async check() {
      const config = getConfig();
      const channels = [...config.notify.channels.keys()];
      const found = await findConditions(ledger, config, find);
      await recordConditions<Notice>(ledger, found, (transition) => {
        const { account, watch, kind, ids } = transition.details;
        // What was removed from the configuration, or is no longer asked for, has not recovered.
        const isConfigured =
          config.notify.events.includes(kind) &&
          (watch === null ? config.accounts.has(account as never) : config.watches.has(watch as never));
        const draft = isConfigured ? describeTransition(transition, ledger.now()) : null;
        if (draft === null) return [];
        const message = toText(draft, config, ids);
        log.info({ event: transition.change, kind }, (JSON.parse(message) as Message).title);
        return channels.map((channel) => ({ channel, message }));
      });
    },
    async deliver() {
      const config = getConfig();
      const redact = createRedactor(config);
      await deliverMessages({
        ...{ ledger, log, redact },
        getChannel: (name) => config.notify.channels.get(name),
        send,
        tried: (name, isDelivered) => (isDelivered ? failing.delete(name) : failing.add(name)),
      });
      for (const name of failing) if (!config.notify.channels.has(name)) failing.delete(name);
      setUndelivered(failing.size > 0);
    },
    async queueDigest(occasion) {
      const config = getConfig();
      const message = toText(await createDigest(ledger, config), config);
      const at = ledger.now();
      await ledger.db.tx(async (tx) => {
        for (const channel of config.notify.channels.keys())
          await enqueue(tx, { event: `digest ${occasion}`, channel, message, at });
      });
    },
    async tellLedger(trouble) {
      const config = getConfig();
      if (trouble !== null) troubledSince = trouble.since;
      const { channels, events } = config.notify;
      if (!events.includes('ledger_unwritable') || channels.size === 0) return;
      const at = ledger.now();
      const text = toText(describeLedger(trouble, troubledSince, at), config);
      const id = `${ledger.id}-ledger-${troubledSince}-${trouble === null ? 'ended' : 'began'}`;
      const sent = await Promise.allSettled(
        [...channels.values()].map((channel) => send(channel, JSON.parse(text) as Message, { id, sentAt: at })),
      );
      const [failed] = sent.filter((each) => each.status === 'rejected');
      if (failed !== undefined && sent.every(({ status }) => status === 'rejected')) throw failed.reason;
    },
    async forget() {
      await deleteMessagesEndedBefore(ledger, ledger.now() - KEPT_MS);
    },
  };
}
