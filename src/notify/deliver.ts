import type { Channel } from '../config/notify.ts';
import { claimMessage, endMessage, postponeMessage } from '../ledger/notices/queue.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Logger } from '../observability/log.ts';
import { elapsedBackoffMs } from '../submission/backoff.ts';
import type { Message } from './message.ts';
import { DeliveryError } from './send.ts';

export interface DeliverOptions {
  readonly ledger: Ledger;
  readonly log: Logger;
  readonly getChannel: (name: string) => Channel | undefined;
  readonly send: (
    channel: Channel,
    message: Message,
    id: { readonly id: string; readonly sentAt: number },
  ) => Promise<void>;
  readonly redact: (text: string) => string;
  /** Called after each attempt. */
  readonly tried: (channel: string, isDelivered: boolean) => unknown;
}

/** A message this old says nothing any more. */
const GIVE_UP_MS = 3 * 86_400_000;
const BACKOFF = { firstMs: 15_000, maxMs: 30 * 60_000 };
/** Messages of one call: a chore must end. */
const MOST = 50;

/** Delivers what waits. A channel that fails gets its messages later and in order, with growing waits, for three days. */
export async function deliverMessages({ ledger, log, getChannel, send, redact, tried }: DeliverOptions): Promise<void> {
  for (let sent = 0; sent < MOST; sent++) {
    const queued = await claimMessage(ledger);
    if (queued === null) return;
    const { id, channel: name, created_at, attempts } = queued;
    const channel = getChannel(name);
    if (channel === undefined) {
      await endMessage(ledger, id, 'the channel is no longer configured');
      continue;
    }
    try {
      await send(channel, JSON.parse(queued.message) as Message, { id: `${ledger.id}-${id}`, sentAt: ledger.now() });
      tried(name, true);
      await endMessage(ledger, id, null);
    } catch (error) {
      tried(name, false);
      const failure = redact((error as Error).message);
      const age = ledger.now() - created_at;
      if (error instanceof DeliveryError && error.isFinal) {
        await endMessage(ledger, id, failure);
        log.error({ channel: name }, `a message to ${name} was refused and is not sent again: ${failure}`);
        continue;
      }
      if (attempts === 1)
        log.warn({ channel: name }, `a message to ${name} is not delivered yet: ${failure}. It is sent again`);
      if (age < GIVE_UP_MS) {
        await postponeMessage(ledger, id, ledger.now() + elapsedBackoffMs(age, BACKOFF), failure);
      } else {
        await endMessage(ledger, id, failure);
        log.error({ channel: name }, `a message to ${name} was given up after three days: ${failure}`);
      }
    }
  }
}
