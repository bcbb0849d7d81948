import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, fingerprint, fingerprintInTurns } from './fingerprint.ts';
import { isReference, newReference } from './reference.ts';
import { urlIdentity, urlKey } from './url-identity.ts';

describe('submission rules', () => {
  test('the fast path for plain URLs gives the same result as the parser', () => {
    const host = fc.stringMatching(/^[a-zA-Z0-9]{1,8}\.[a-z]{2,4}$/);
    const rest = fc.webPath();
    fc.assert(
      fc.property(
        fc.constantFrom('http', 'https', 'HTTPS'),
        host,
        fc.constantFrom('', ':80', ':443', ':8080'),
        rest,
        (scheme, name, port, path) => {
          const url = `${scheme}://${name}${port}${path}`;
          if (!URL.canParse(url)) return;
          const parsed = new URL(url);
          assert.equal(urlIdentity(`${url}#x`), urlIdentity(url));
          assert.equal(urlIdentity(url), `${parsed.protocol}//${parsed.host}${path.startsWith('/') ? '' : '/'}${path}`);
        },
      ),
    );
  });

  test('an empty path is the root (RFC 3986 section 6.2.3)', () => {
    const same = ['https://a.example', 'https://a.example/', 'https://A.example:443#top', 'HTTPS://a.example/#x'];
    assert.deepEqual([...new Set(same.map(urlIdentity))], ['https://a.example/']);
    assert.equal(urlIdentity('https://a.example?q'), urlIdentity('https://a.example/?q'));
  });

  test('every form of an address is that address, whatever the letter case of the scheme', () => {
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '0177.0.0.1', '127.1', '0x7f000001', '127.0.0.1.']) {
      for (const scheme of ['http', 'HTTP']) {
        assert.equal(urlIdentity(`${scheme}://${host}/a`), 'http://127.0.0.1/a', `${scheme}://${host}`);
      }
    }
  });

  test('paths and queries are case-sensitive', () => {
    const different = [
      'https://a.example/x',
      'https://a.example/X',
      'https://a.example/x?',
      'https://a.example/x?a',
      'http://a.example/x',
      'https://a.example:80/x',
    ];
    assert.equal(new Set(different.map(urlIdentity)).size, different.length);
  });

  test('URL keys fit an exact integer and differ by account', () => {
    fc.assert(
      fc.property(
        fc.webUrl(),
        fc.nat(),
        (url, account) =>
          Number.isSafeInteger(urlKey(url, account)) && urlKey(url, account) !== urlKey(url, account + 1),
      ),
    );
  });

  test('the fingerprint ignores member order and white space, and nothing else', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        assert.deepEqual(fingerprint(reversed), fingerprint(value));
        assert.deepEqual(JSON.parse(canonicalJson(value as never)), JSON.parse(JSON.stringify(value)));
      }),
    );
    assert.notDeepEqual(fingerprint({ urls: ['a', 'b'] }), fingerprint({ urls: ['b', 'a'] }));
    assert.notDeepEqual(fingerprint({ url: 'a' }), fingerprint({ url: 'a', service: 'standard' }));
  });

  test('references sort by time and are recognised', () => {
    const [older, newer] = [newReference(1_000), newReference(2_000)];
    assert.ok(older < newer && isReference(older) && !isReference(`${older}x`) && !isReference(older.toUpperCase()));
  });

  test('an incrementally computed fingerprint is the same for every valid body', async () => {
    const body = fc.record(
      {
        project: fc.string(),
        service: fc.constantFrom('fast', 'standard'),
        url: fc.webUrl(),
        urls: fc.array(fc.string(), { minLength: 495, maxLength: 1_505, size: 'max' }),
      },
      { requiredKeys: ['urls'] },
    );
    await fc.assert(
      fc.asyncProperty(body, async (value) => assert.deepEqual(await fingerprintInTurns(value), fingerprint(value))),
      { numRuns: 20 },
    );
    assert.deepEqual(await fingerprintInTurns({ url: 'a' } as object), fingerprint({ url: 'a' }));
  });
});
