import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { hiddenFields } from '../../test/support/dashboard.ts';
import { openService, TestClient, urlList } from '../../test/support/service.ts';

const PREFIX = '/tools/indexing';

/** A proxy that takes the prefix off, and answers 404 to whatever does not begin with it. */
async function openProxy(t: TestContext, target: URL): Promise<string> {
  const proxy = createServer((asked, answer) => {
    if (!asked.url?.startsWith(`${PREFIX}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const { hostname, port } = target;
    const options = {
      hostname,
      port,
      path: asked.url.slice(PREFIX.length),
      method: asked.method,
      headers: asked.headers,
    };
    const upstream = request(options, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    asked.pipe(upstream);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

describe('path_prefix', () => {
  test('the dashboard works below a path: every link, form, file and redirect of every page leads there', async (t) => {
    const { service, account } = await openService(t, 'sqlite', { settings: { pathPrefix: PREFIX } });
    const origin = await openProxy(t, new URL(service.baseUrl));
    const password = await service.accounts.resetPassword(account);
    const cookies = new Map<string, string>();
    const visit = async (path: string, form?: Record<string, string>) => {
      const response = await fetch(new URL(path, origin), {
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = line.split(';')[0]!.split('=');
        cookies.set(name, value);
      }
      return { status: response.status, location: response.headers.get('location'), text: await response.text() };
    };

    const first = await visit(`${PREFIX}/`);
    const [, action = ''] = /<form[^>]* action="([^"]*sign-in[^"]*)"/.exec(first.text) ?? [];
    const signedIn = await visit(action, { ...hiddenFields(first.text), account, password });
    assert.deepEqual([signedIn.status, signedIn.location], [303, `${PREFIX}/`]);

    const seen = new Set<string>([`${PREFIX}/`]);
    for (const path of seen) {
      const page = await visit(path);
      assert.equal(page.status, 200, path);
      for (const [, address = ''] of page.text.matchAll(/ (?:href|action)="([^"]*)"/g)) {
        if (address.startsWith('#')) continue;
        assert.ok(address.startsWith(`${PREFIX}/`), `${address} on ${path}`);
        if (!/sign-out|\/end|revoke|regenerate|language=/.test(address) && page.text.includes(`href="${address}"`)) {
          seen.add(address.replaceAll('&amp;', '&'));
        }
      }
    }
    assert.ok(seen.size > 8, [...seen].join(' '));
    assert.match((await visit(`${PREFIX}/nowhere`)).text, new RegExp(`href="${PREFIX}/"`));
    assert.ok((await visit(`${PREFIX}/contract`)).text.includes(`${PREFIX}/api/v1/submissions`));
  });

  test('the API names its addresses below the path', async (t) => {
    const { service, client } = await openService(t, 'sqlite', { settings: { pathPrefix: PREFIX } });
    const origin = await openProxy(t, new URL(service.baseUrl));
    const outside = new TestClient(`${origin}${PREFIX}/api/v1`, client.key);
    const { status, headers } = await outside.post('/submissions', 'prefixed-key', { urls: urlList(1) });
    assert.equal(status, 202);
    const location = headers.get('location') ?? '';
    const detail = await fetch(new URL(location, origin), { headers: { 'x-api-key': client.key } });
    assert.equal(detail.status, 200);
    const info = (await (await fetch(`${outside.baseUrl}/`)).json()) as { data: { openapi: string } };
    const contract = (await (await fetch(new URL(info.data.openapi, origin))).json()) as { servers: { url: string }[] };
    assert.equal(contract.servers[0]?.url, `${PREFIX}/api/v1`);
  });
});
