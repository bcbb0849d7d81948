import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { courier, folderFor, ofType } from '../../../test/support/cli.ts';

const TOKEN = 'canary-token-of-the-hook';

async function openScene(t: TestContext) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.writeHead(request.url?.includes('refused') === true ? 403 : 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { file: key } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"] }
notify:
  channels:
    ops: { webhook: { url: "${hook}/ok", secret: { file: key } } }
    chat: { slack: { url: { file: hook } } }
`,
  );
  writeFileSync(join(folder, 'key'), 'canary-key-of-the-hook');
  writeFileSync(join(folder, 'hook'), `${hook}/refused/${TOKEN}`);
  return { folder, bodies };
}

describe('courier notify test', () => {
  test('sends to every channel, says which one did not take it, and ends with 5', async (t) => {
    const { folder, bodies } = await openScene(t);
    const run = await courier(folder, 'notify', 'test');
    assert.equal(run.code, 5);
    const records = ofType(run, 'test_message');
    assert.deepEqual(
      records.map(({ channel, form, failure }) => [channel, form, failure === null]),
      [
        ['ops', 'webhook', true],
        ['chat', 'slack', false],
      ],
    );
    assert.match(String(records[1]?.failure), /answered with status 403/);
    assert.equal(bodies.length, 2);
    assert.ok(!JSON.stringify([run, bodies]).includes('canary'), 'no output and no message holds a secret');
  });

  test('one channel by name, and a name that does not exist', async (t) => {
    const { folder, bodies } = await openScene(t);
    assert.equal((await courier(folder, 'notify', 'test', 'ops')).code, 0);
    assert.equal(bodies.length, 1);
    const unknown = await courier(folder, 'notify', 'test', 'opps');
    assert.equal(unknown.code, 2);
    assert.match(JSON.stringify(unknown.records.at(-1)), /The channels are: ops, chat/);
  });
});
