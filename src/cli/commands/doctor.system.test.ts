import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type CommandRun, courier, ofType, printCourier, publish } from '../../../test/support/cli.ts';
import { openService } from '../../../test/support/service.ts';
import { openShopFolder } from '../../../test/support/shop-folder.ts';

/** The findings by what was looked at, without those in order. */
const listTrouble = (run: CommandRun): unknown[][] =>
  ofType(run, 'finding').flatMap(({ level, check, transient }) => (level === 'ok' ? [] : [[level, check, transient]]));

describe('courier doctor', () => {
  test('finds everything in order against a service, but no Temporal server, and starts none', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service);
    publish(folder, ['a', 'b']);
    const well = await courier(folder, 'doctor');
    assert.equal(well.code, 0, well.stderr);
    assert.deepEqual(listTrouble(well), [['warn', 'temporal', false]]);
    const checks = ofType(well, 'finding').map(({ check }) => check);
    for (const check of [
      'configuration',
      'ledger',
      'disk',
      'secrets',
      'key',
      'balance',
      'list',
      'rate_limits',
      'clock',
      'contract',
      'sitemap',
      'runs',
    ])
      assert.ok(checks.includes(check), check);
    const text = await printCourier(folder, 'doctor');
    assert.match(text, /^ok {6}balance \(main\) +1000\.00 TRY$/m);
    assert.match(text, /^ok {6}sitemap \(shop\) .*urlset, 2 URLs, 0% with a lastmod, 0 out of scope$/m);
    assert.doesNotMatch(await printCourier(folder, 'doctor', '--quiet'), /^ok/m, 'only what is not in order');
    assert.doesNotMatch(text, new RegExp(readFileSync(join(folder, 'key'), 'utf8').slice(0, 12)));
  });

  test('exits with 6 for a refused key, whatever else you must correct', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service, '', { watch: 'exclude: ["/b/**"]' });
    writeFileSync(join(folder, 'key'), 'usk_of_nobody');
    publish(folder, ['b/1']);
    const sick = await courier(folder, 'doctor');
    assert.equal(sick.code, 6, sick.stderr);
    assert.deepEqual(listTrouble(sick), [
      ['fail', 'key', false],
      ['warn', 'temporal', false],
      ['fail', 'sitemap', false],
    ]);
    const [key] = ofType(sick, 'finding').filter(({ check }) => check === 'key');
    assert.match(String(key?.message), /401/);
    assert.match(String(key?.next), /replace the key/);
  });

  test('exits with 3 for what you must correct, and tells what validate warns of', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service, '', {
      watch: 'exclude: ["/b/**"], guard: { max_new_percent: 900 }',
    });
    publish(folder, ['b/1']);
    const sick = await courier(folder, 'doctor');
    assert.equal(sick.code, 3, sick.stderr);
    assert.deepEqual(listTrouble(sick), [
      ['warn', 'configuration', false],
      ['warn', 'temporal', false],
      ['fail', 'sitemap', false],
    ]);
  });

  test('asks for the list of jobs, and names what it has where no list can be read', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service);
    publish(folder, ['a']);
    // The same service, whose list has no name that anybody could know.
    const server = createServer(async (request, response) => {
      const { method = 'GET', url = '/', headers } = request;
      const authorization = headers.authorization ?? '';
      const answer = await fetch(`${new URL(service.baseUrl).origin}${url}`, { method, headers: { authorization } });
      const body = /\/submissions\?/.test(url)
        ? { success: true, data: { auftraege: 3, _links: {} } }
        : await answer.json();
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const file = join(folder, 'courier.yaml');
    const { pathname } = new URL(service.baseUrl);
    writeFileSync(file, readFileSync(file, 'utf8').replace(service.baseUrl, `http://127.0.0.1:${port}${pathname}`));
    const run = await courier(folder, 'doctor', '--no-sitemaps');
    const [list] = ofType(run, 'finding').filter(({ check }) => check === 'list');
    assert.equal(list?.level, 'fail', JSON.stringify(run.records));
    assert.match(
      String(list?.message),
      /without a list of submissions \(it has auftraege, _links\).*nothing is bought/,
    );
    assert.match(String(list?.next), /accounts\.main\.reconcile\.list/);
    assert.equal(run.code, 3, run.stderr);
  });

  test('exits with 5 while the service does not respond', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service);
    publish(folder, ['a']);
    const file = join(folder, 'courier.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(service.baseUrl, 'http://127.0.0.1:9/api/v1'));
    const away = await courier(folder, 'doctor', '--no-sitemaps');
    assert.equal(away.code, 5, away.stderr);
    assert.deepEqual(listTrouble(away), [
      ['fail', 'key', true],
      ['fail', 'contract', true],
      ['warn', 'temporal', false],
    ]);
  });
});
