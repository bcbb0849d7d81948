import { createTransport } from 'nodemailer';
import type { AddressReference, Channel } from '../config/notify.ts';
import { readSecret } from '../config/secrets.ts';
import { type Request, toEmail, toSlack, toTeams, toWebhook } from './forms.ts';
import type { Message } from './message.ts';

const TIMEOUT_MS = 15_000;

/** A message was not delivered. Its message holds no address, because that may hold a token. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** The channel refuses this message, and would refuse it again. */
  readonly isFinal: boolean;

  constructor(message: string, { isFinal = false }: { readonly isFinal?: boolean } = {}) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Statuses about the message itself. Any other may be over when the channel or its address is corrected. */
const FINAL = [400, 413, 422];

/** Delivers a message. Throws a DeliveryError, or a SecretMissingError when the channel's secret cannot be read. */
export async function sendMessage(
  channel: Channel,
  message: Message,
  { id, sentAt }: { readonly id: string; readonly sentAt: number },
): Promise<void> {
  switch (channel.kind) {
    case 'webhook': {
      const secret = channel.secret === null ? null : readSecret(channel.secret);
      return post(channel.url, toWebhook(message, { id, secret, sentAt }));
    }
    case 'slack':
      return post(channel.url, toSlack(message));
    case 'teams':
      return post(channel.url, toTeams(message));
    case 'email':
      return mail(channel, message, id);
  }
}

async function post(url: AddressReference, { headers, body }: Request): Promise<void> {
  await request(url, { method: 'POST', headers, body });
}

/** Requests the address of a monitor. */
export async function ping(url: AddressReference): Promise<void> {
  await request(url, { method: 'GET' });
}

/** Follows no redirect: it would carry the message to an address that nobody configured. */
async function request(reference: AddressReference, init: RequestInit): Promise<void> {
  const url = typeof reference === 'string' ? reference : readSecret(reference);
  if (!URL.canParse(url)) throw new DeliveryError('the configured address is not a URL');
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    throw new DeliveryError(`${new URL(url).host} does not respond (${cause?.code ?? name})`);
  }
  await response.body?.cancel();
  const { ok, status } = response;
  if (!ok)
    throw new DeliveryError(`${new URL(url).host} answered with status ${status}`, { isFinal: FINAL.includes(status) });
}

async function mail(
  { server, from, to }: Extract<Channel, { kind: 'email' }>,
  message: Message,
  id: string,
): Promise<void> {
  const url = readSecret(server);
  if (!/^smtps?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new DeliveryError('the e-mail server is not an address such as smtps://user:password@smtp.example:465');
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url, ...timeouts });
  try {
    // The same message after a lost answer has the same id, so a mailbox shows it once.
    const messageId = `<${id}@sitemap-courier>`;
    await transport.sendMail({ from, to: [...to], messageId, ...toEmail(message) });
  } catch (error) {
    const { code, responseCode } = error as Error & { code?: string; responseCode?: number };
    throw new DeliveryError(
      `${new URL(url).host} did not take the e-mail (${[code, responseCode].filter(Boolean).join(', ')})`,
    );
  } finally {
    transport.close();
  }
}
