import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, test } from 'node:test';
import { collect, urlset } from '../../../test/support/sitemap/collect.ts';
import { serve } from '../../../test/support/sitemap/server.ts';
import { findProxies } from './proxy.ts';

test('a proxy in the environment is used, on a private address too; private addresses in URLs are still refused', async () => {
  await using site = await serve({ '/s.xml': urlset('https://shop.example/a') });
  const asked: string[] = [];
  const target = Number(new URL(site.origin).port);
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(urlset('https://shop.example/a'));
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const upstream = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const before = process.env.HTTP_PROXY;
  process.env.HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  try {
    // No resolver knows this name: only the proxy can have answered.
    const got = await collect(['http://shop.invalid/s.xml'], { allowPrivateHosts: false });
    assert.deepEqual([got.locs, got.codes], [['https://shop.example/a'], []]);
    assert.equal(asked.length, 1);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254']) {
      const refused = await collect([`http://${host}/s.xml`], { allowPrivateHosts: false });
      assert.deepEqual(refused.codes, ['error PRIVATE_HOST'], host);
    }
    assert.equal(asked.length, 1);
  } finally {
    if (before === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = before;
    proxy.closeAllConnections();
    proxy.close();
  }
});

async function withProxy<T>(value: string, use: () => Promise<T>): Promise<T> {
  const before = process.env.HTTP_PROXY;
  process.env.HTTP_PROXY = value;
  try {
    return await use();
  } finally {
    if (before === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = before;
  }
}

test('a proxy without a scheme is an http proxy', async () => {
  await using proxy = await serve({ 'http://shop.invalid/s.xml': urlset('https://shop.example/a') });
  const got = await withProxy(new URL(proxy.origin).host, () => collect(['http://shop.invalid/s.xml']));
  assert.deepEqual([got.locs, got.codes], [['https://shop.example/a'], []]);
});

test('a proxy that cannot be reached is named as the proxy', async () => {
  const got = await withProxy('http://127.0.0.1:1', () => collect(['http://shop.invalid/s.xml'], { retries: 0 }));
  assert.match(got.problems[0]?.message ?? '', /^the proxy of HTTP_PROXY: connect ECONNREFUSED 127\.0\.0\.1:1/);
});

describe('a proxy setting that cannot be used is refused before anything is fetched', () => {
  for (const value of ['socks5://127.0.0.1:1080', 'http://', 'http://a b']) {
    test(value, () =>
      assert.throws(() => findProxies({ HTTPS_PROXY: value }), { name: 'ProxySettingError', message: /HTTPS_PROXY/ }),
    );
  }
});
