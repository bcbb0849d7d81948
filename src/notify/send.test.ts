import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import type { Message } from './message.ts';
import { DeliveryError, sendMessage } from './send.ts';

const SECRET = 'canary-webhook-secret';
const ID = { id: 'ledger-7', sentAt: 1_768_478_400_000 };

const message: Message = {
  event: 'began',
  kind: 'run_held',
  account: 'main',
  watch: 'shop',
  title: 'shop: a run waits for approval of 3 URLs, 0.75 TRY',
  lines: ['Since 2026-01-15 12:00 UTC.', 'Reason: <a> & [link](https://evil.example)'],
  commands: ['courier approve watch/shop/1', 'courier reject watch/shop/1'],
  installation: { name: 'web-1', ledger: '/srv/shop/.courier/ledger.db' },
  since: 1_768_478_400_000,
  at: 1_768_478_460_000,
  amount: 750_000 as never,
};

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function openHook(t: TestContext, status = 200, headers: Record<string, string> = {}) {
  const requests: { headers: IncomingMessage['headers']; body: string; path: string }[] = [];
  const server = createHttpServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request), path: request.url ?? '' });
    response.writeHead(status, headers).end();
  });
  return { url: `http://127.0.0.1:${await listen(t, server)}/hook`, requests };
}

/** Takes one mail and returns what was said, as a mail server does. */
async function openMailServer(t: TestContext, refuse = false) {
  const lines: string[] = [];
  const server = createTcpServer((socket) => {
    let inData = false;
    socket.write('220 test\r\n');
    let rest = '';
    socket.on('data', (chunk) => {
      rest += chunk.toString();
      for (let at = rest.indexOf('\r\n'); at >= 0; at = rest.indexOf('\r\n')) {
        const line = rest.slice(0, at);
        rest = rest.slice(at + 2);
        lines.push(line);
        if (inData && line !== '.') continue;
        if (inData) inData = false;
        else if (line === 'DATA') inData = true;
        if (line.startsWith('EHLO')) socket.write('250-test\r\n250 AUTH PLAIN\r\n');
        else if (line.startsWith('AUTH')) socket.write('235 ok\r\n');
        else if (line.startsWith('RCPT') && refuse) socket.write('550 no such mailbox\r\n');
        else if (line === 'DATA') socket.write('354 go\r\n');
        else if (line === 'QUIT') socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
    socket.on('error', () => undefined);
  });
  return { port: await listen(t, server), lines };
}

describe('delivery of messages', () => {
  test('a webhook gets JSON whose signature covers the time of sending and the exact body', async (t) => {
    const { url, requests } = await openHook(t);
    process.env.COURIER_TEST_API_KEY = SECRET;
    await sendMessage({ kind: 'webhook', url, secret: { env: 'COURIER_TEST_API_KEY' } }, message, ID);
    const [{ headers, body }] = requests as [(typeof requests)[number]];
    const timestamp = headers['x-courier-timestamp'];
    assert.equal(timestamp, '1768478400');
    const expected = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
    assert.equal(headers['x-courier-signature'], `sha256=${expected}`);
    assert.deepEqual(JSON.parse(body), {
      ...{ version: 1, id: 'ledger-7', event: 'began', kind: 'run_held', account: 'main', watch: 'shop' },
      title: message.title,
      text: message.lines.join('\n'),
      command: 'courier approve watch/shop/1',
      ...{ commands: message.commands, installation: message.installation },
      ...{ since: '2026-01-15T12:00:00.000Z', at: '2026-01-15T12:01:00.000Z', amount_micros: 750_000 },
    });
    assert.ok(!JSON.stringify(requests).includes(SECRET));
  });

  test('Slack gets text in which what a service says is no markup', async (t) => {
    const { url, requests } = await openHook(t);
    await sendMessage({ kind: 'slack', url }, message, ID);
    const { text: shown } = JSON.parse(requests[0]?.body ?? '') as { text: string };
    assert.match(shown, /^\*shop: a run waits/);
    assert.match(shown, /&lt;a&gt; &amp; /);
    assert.match(
      shown,
      /`courier approve watch\/shop\/1`\n`courier reject watch\/shop\/1`\n_sitemap-courier on web-1, ledger \/srv/,
    );
  });

  test('Teams gets an adaptive card in which what a service says is no link', async (t) => {
    const { url, requests } = await openHook(t);
    await sendMessage({ kind: 'teams', url }, message, ID);
    const { attachments } = JSON.parse(requests[0]?.body ?? '') as {
      attachments: { contentType: string; content: { body: { text: string }[] } }[];
    };
    assert.equal(attachments[0]?.contentType, 'application/vnd.microsoft.card.adaptive');
    const blocks = attachments[0]?.content.body.map((block) => block.text) ?? [];
    assert.equal(blocks[0], message.title);
    assert.ok(blocks[2]?.includes('\\[link\\](https'), blocks[2]);
  });

  test('e-mail goes over SMTP to every recipient, with the title as its subject and the command in it', async (t) => {
    const { port, lines } = await openMailServer(t);
    process.env.COURIER_TEST_API_KEY = `smtp://user:canary-password@127.0.0.1:${port}`;
    const to = ['ops@shop.example', 'team@shop.example'];
    await sendMessage(
      { kind: 'email', server: { env: 'COURIER_TEST_API_KEY' }, from: 'courier@shop.example', to },
      message,
      ID,
    );
    const mail = lines.join('\n');
    for (const address of to) assert.ok(mail.includes(`RCPT TO:<${address}>`), address);
    assert.match(mail, /^Subject: \[courier web-1\] shop: a run waits for approval/m);
    assert.match(mail, /^Message-ID: <ledger-7@sitemap-courier>$/im);
    assert.match(mail, /courier approve watch\/shop\/1/);
  });

  test('a refused message is an error that names the host and the status, and no secret', async (t) => {
    const { url } = await openHook(t, 403);
    const refused = sendMessage({ kind: 'slack', url: `${url}/T000/canary-token` }, message, ID);
    await assert.rejects(refused, (error: Error) => {
      assert.ok(error instanceof DeliveryError);
      assert.match(error.message, /127\.0\.0\.1:\d+ answered with status 403/);
      assert.doesNotMatch(error.message, /canary/);
      return true;
    });
    const { port } = await openMailServer(t, true);
    process.env.COURIER_TEST_API_KEY = `smtp://user:canary-password@127.0.0.1:${port}`;
    const mail = sendMessage(
      { kind: 'email', server: { env: 'COURIER_TEST_API_KEY' }, from: 'a@b.example', to: ['c@d.example'] },
      message,
      ID,
    );
    await assert.rejects(mail, (error: Error) => {
      assert.match(error.message, /did not take the e-mail \(EENVELOPE, 550\)/);
      assert.doesNotMatch(error.message, /canary/);
      return true;
    });
  });

  test('a redirect is not followed', async (t) => {
    const target = await openHook(t);
    const { url } = await openHook(t, 302, { location: target.url });
    await assert.rejects(sendMessage({ kind: 'slack', url }, message, ID), DeliveryError);
    assert.equal(target.requests.length, 0);
  });

  test('a server that does not respond is an error', async (t) => {
    const server = createTcpServer();
    const port = await listen(t, server);
    server.close();
    await assert.rejects(
      sendMessage({ kind: 'slack', url: `http://127.0.0.1:${port}/x` }, message, ID),
      /does not respond \(ECONNREFUSED\)/,
    );
  });
});
