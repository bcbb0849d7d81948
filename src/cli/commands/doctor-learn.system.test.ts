import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { type FakeServiceOptions, startFakeService } from '../../../test/fakes/service/fake-service.ts';
import { SHOWS_URLS } from '../../../test/fakes/service/profile.ts';
import { FOREIGN } from '../../../test/fakes/service/profiles/foreign.ts';
import { courier, folderFor, ofType, printCourier } from '../../../test/support/cli.ts';

const KEY = 'key-of-a-service-to-learn';

async function openScene(t: TestContext, options: FakeServiceOptions) {
  const service = await startFakeService(t, { apiKey: KEY, ...options });
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main:
    base_url: "${service.baseUrl}"
    api_key: { file: key }
    status_map: { url: { open: [kuyrukta] } }
watches: {}
ledger: { url: "sqlite:ledger.db" }
`,
  );
  writeFileSync(join(folder, 'key'), KEY, { mode: 0o600 });
  return { service, folder };
}

/** Puts a block into the configuration, as its reader is asked to. */
function paste(folder: string, yaml: string): void {
  const file = join(folder, 'courier.yaml');
  const config = parse(readFileSync(file, 'utf8')) as { accounts: { main: object } };
  const block = parse(yaml) as { accounts: { main: object } };
  Object.assign(config.accounts.main, block.accounts.main);
  writeFileSync(file, stringify(config));
}

describe('courier doctor --learn', () => {
  test('proposes settings that the checker takes, and is done once they are in the file', async (t) => {
    const { service, folder } = await openScene(t, { profile: FOREIGN, balanceKurus: 98_551 });
    service.submit('by-hand-1', JSON.stringify({ urls: ['1', '2', '3'].map((n) => `https://shop.example/${n}`) }));
    service.finish('partial');
    const before = service.getBalance();
    const learned = await courier(folder, 'doctor', '--learn');
    assert.equal(learned.code, 3, learned.stderr);
    const [block] = ofType(learned, 'block');
    assert.match(String(block?.yaml), /jobs:\n\s+- is_emirleri/);
    assert.match(String(block?.yaml), /open:\n\s+- kuyrukta/, 'what the file has under the same name stays');
    paste(folder, String(block?.yaml));
    assert.equal((await courier(folder, 'validate')).code, 0);
    const again = await courier(folder, 'doctor', '--learn');
    assert.deepEqual([again.code, ofType(again, 'proposal'), ofType(again, 'block')], [0, [], []], again.stderr);
    const state = ofType(again, 'reading').find(({ value }) => value === 'url_state');
    assert.deepEqual([state?.path, state?.read], ['data.adresler[0].sonuc', 'reddedildi']);
    assert.equal(service.getBalance(), before);
    assert.deepEqual(
      service.requests.filter((request) => !request.startsWith('GET ')),
      [],
      'nothing is bought',
    );
    assert.ok(!JSON.stringify([learned.records, again.records]).includes(KEY));
  });

  test('prints each value with its place, and what nothing is read from', async (t) => {
    const { service, folder } = await openScene(t, { profile: SHOWS_URLS });
    service.submit('by-hand-1', JSON.stringify({ urls: ['https://shop.example/1'] }));
    const text = await printCourier(folder, 'doctor', '--learn');
    assert.match(text, /^GET \/balance\n {2}balance +999999\.75 TRY +data\.balance, data\.currency: 999999\.75, TRY$/m);
    assert.match(text, /^ {2}url_state +queued +data\.urls\[0\]\.status: queued$/m);
    assert.match(text, /^Nothing is proposed/m);
  });

  test('exits with 6 for a refused key and with 5 without a response', async (t) => {
    const { service, folder } = await openScene(t, { profile: SHOWS_URLS });
    service.setKeyWorks(false);
    const refused = await courier(folder, 'doctor', '--learn');
    assert.equal(refused.code, 6, refused.stderr);
    assert.equal(service.counts.list, 0);
    await service.close();
    assert.equal((await courier(folder, 'doctor', '--learn')).code, 5);
  });
});
