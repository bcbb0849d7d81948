import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SitemapError } from '../problems.ts';
import { formatWait, toNetworkError, toStatusError } from './http-error.ts';

const AT = new URL('https://shop.example/sitemap.xml?token=secret');
const OLD = new URL('https://shop.example/old.xml');
const NEVER = new AbortController().signal;
const fail = (code: string, message = 'x', more: object = {}) => Object.assign(new Error(message), { code, ...more });

const statuses: readonly (readonly [number, URL, string | undefined, RegExp, boolean])[] = [
  [404, AT, undefined, /^HTTP 404$/, false],
  [404, OLD, undefined, /^HTTP 404 from https:\/\/shop\.example\/sitemap\.xml, where it redirects to$/, false],
  [429, AT, '3600', /^HTTP 429; the server asks to wait 60 min$/, true],
  [503, AT, '7', /the server asks to wait 7 s/, true],
  [401, AT, undefined, /--header/, false],
  [403, AT, undefined, /--user-agent/, false],
  [521, AT, undefined, /^HTTP 521$/, true],
];
describe('the message of a status', () => {
  for (const [status, first, retryAfter, message, transient] of statuses) {
    test(`${status} ${retryAfter ?? ''} ${first === OLD ? 'after a redirect' : ''}`, () => {
      const error = toStatusError(status, AT, first, retryAfter, 0);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /secret/);
      assert.equal(error.transient, transient);
    });
  }
});

const failures: readonly (readonly [Error, RegExp, boolean])[] = [
  [
    fail('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', '40AD:error:0A00042E:SSL\nroutines'),
    /^the server supports no current version of TLS/,
    false,
  ],
  [
    fail('EPROTO', 'write EPROTO 40AD:error:0A00010B:SSL routines:tls_validate:wrong version number:../ssl.c:77:\n'),
    /does not speak TLS on this port.*\(ERR_SSL_WRONG_VERSION_NUMBER\)$/,
    false,
  ],
  [fail('ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS on this port; try the address with http:/, false],
  [fail('CERT_HAS_EXPIRED'), /has expired/, false],
  [fail('DEPTH_ZERO_SELF_SIGNED_CERT'), /NODE_EXTRA_CA_CERTS/, false],
  [fail('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /NODE_EXTRA_CA_CERTS/, false],
  [fail('ERR_TLS_CERT_ALTNAME_INVALID'), /for another host/, false],
  [
    fail('ENOTFOUND', 'getaddrinfo', { hostname: 'shop.example' }),
    /^the host shop\.example has no address in DNS/,
    true,
  ],
  [fail('ECONNRESET', 'read ECONNRESET'), /^the connection was reset \(ECONNRESET\)$/, true],
  [fail('HPE_INVALID_CONSTANT', 'Expected\nHTTP/'), /^the answer of the server is not valid HTTP: Expected HTTP/, true],
  [fail('ECONNRESET', 'socket hang up'), /^the server closed the connection before the end of its answer/, true],
  [
    new AggregateError([
      fail('ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.1:443', { address: '192.0.2.1', port: 443 }),
    ]),
    /^connect ECONNREFUSED 192\.0\.2\.1:443$/,
    true,
  ],
];
describe('the message of a failed connection', () => {
  for (const [error, message, transient] of failures) {
    test(`${message}`, () => {
      const found = toNetworkError(error, AT, NEVER);
      assert.ok(found instanceof SitemapError);
      assert.match(found.message, message);
      assert.doesNotMatch(found.message, /\n/);
      assert.deepEqual([found.code, found.transient], ['NETWORK', transient]);
    });
  }
});

test('waits are shown in a unit that can be read', () => {
  assert.deepEqual([500, 30_000, 119_001, 120_000, 3_600_000, 86_400_000].map(formatWait), [
    '1 s',
    '30 s',
    '120 s',
    '2 min',
    '60 min',
    '24 h',
  ]);
});
