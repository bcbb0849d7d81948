import { createHmac } from 'node:crypto';
import type { Installation, Message } from './message.ts';

/** Headers and body of a request that delivers a message. */
export interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const;

/**
 * JSON with fixed fields. The signature covers the time of sending and the exact body, so a recorded request cannot be
 * sent again later: the receiver refuses an old timestamp.
 */
export function toWebhook(
  message: Message,
  { id, secret, sentAt }: { id: string; secret: string | null; sentAt: number },
): Request {
  const { event, kind, account, watch, title, lines, commands, since, at, amount, installation } = message;
  const toIso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  const body = JSON.stringify({
    ...{ version: 1, id, event, kind, account, watch, title, text: lines.join('\n'), command: commands[0] ?? null },
    ...{ commands, installation },
    ...{ since: toIso(since), at: toIso(at), amount_micros: amount },
  });
  const timestamp = String(Math.floor(sentAt / 1_000));
  const signature =
    secret === null
      ? {}
      : {
          'x-courier-signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
        };
  return { headers: { ...JSON_HEADERS, 'x-courier-timestamp': timestamp, ...signature }, body };
}

const formatOrigin = ({ name, ledger }: Installation): string => `sitemap-courier on ${name}, ledger ${ledger}`;

/** Slack reads &, < and > as markup. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function toSlack({ title, lines, commands, installation }: Message): Request {
  const text = [
    `*${escapeSlack(title)}*`,
    ...lines.map(escapeSlack),
    ...commands.map((command) => `\`${escapeSlack(command)}\``),
    `_${escapeSlack(formatOrigin(installation))}_`,
  ];
  return { headers: JSON_HEADERS, body: JSON.stringify({ text: text.join('\n') }) };
}

/** An Adaptive Card, which workflows of Teams accept. */
export function toTeams({ title, lines, commands, installation }: Message): Request {
  const block = (text: string, more: object = {}) => ({
    type: 'TextBlock',
    text: escapeMarkdown(text),
    wrap: true,
    ...more,
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(title, { weight: 'Bolder', size: 'Medium' }),
      ...lines.map((line) => block(line)),
      ...commands.map((command) => block(command, { fontType: 'Monospace' })),
      block(formatOrigin(installation), { isSubtle: true, size: 'Small' }),
    ],
  };
  const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }];
  return { headers: JSON_HEADERS, body: JSON.stringify({ type: 'message', attachments }) };
}

/** A card reads a part of Markdown: a reason of the service must not become a link. */
const escapeMarkdown = (text: string): string => text.replace(/[[\]*_`\\]/g, '\\$&');

export function toEmail(message: Message): { readonly subject: string; readonly text: string } {
  const { title, lines, commands, installation } = message;
  const typed = commands.length === 0 ? [] : ['', ...commands.map((command) => `    ${command}`)];
  const text = [...lines, ...typed, '', `-- `, formatOrigin(installation), ''].join('\n');
  return { subject: `[courier ${installation.name}] ${title}`.replaceAll(/[\r\n]+/g, ' '), text };
}
