import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AccountId } from '../../submission/ids.ts';
import { compareContract } from './check-contract.ts';
import { judgeDisk } from './check-ledger.ts';
import { checkCurrency } from './check-service.ts';

const operation = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } });
const paths = (prefix = '', submit: object = { properties: { urls: { maxItems: 5_000 } } }) => ({
  [`${prefix}/submissions`]: { post: operation(submit), get: {} },
  [`${prefix}/submissions/{id}`]: { get: {} },
  [`${prefix}/balance`]: { get: {} },
});

describe('the contract of a service', () => {
  test('is in order with every endpoint, whatever its paths begin with', () => {
    for (const prefix of ['', '/api/v1']) {
      const finding = compareContract('main', { info: { version: '1.2.3' }, paths: paths(prefix) }, false);
      assert.deepEqual([finding.level, /version 1\.2\.3/.test(finding.message)], ['ok', true], prefix);
    }
  });

  test('fails without an endpoint that is used, and says which', () => {
    const { '/balance': _, ...rest } = paths();
    assert.match(compareContract('main', { paths: rest }, false).message, /lacks get \/balance/);
    assert.equal(compareContract('main', { paths: paths() }, false).level, 'ok');
    const checked = compareContract('main', { paths: paths() }, true);
    assert.deepEqual([checked.level, /lacks post \/index-check/.test(checked.message)], ['fail', true]);
  });

  test('warns of a smaller batch, also behind a reference, and tells the default service', () => {
    const small = { properties: { urls: { maxItems: 100 }, service: { default: 'fast' } } };
    const contract = {
      paths: paths('', { $ref: '#/components/schemas/Submit' }),
      components: { schemas: { Submit: small } },
    };
    const finding = compareContract('main', contract, false);
    assert.deepEqual([finding.level, /takes 100 URLs/.test(finding.message)], ['warn', true]);
    const inline = compareContract(
      'main',
      { paths: paths('', { properties: { service: { default: 'fast' } } }) },
      false,
    );
    assert.match(inline.message, /its default service is fast/);
  });
});

describe('the disk of the ledger', () => {
  const about = { check: 'disk', subject: null } as const;
  const GIB = 1024 ** 3;
  for (const [free, ledger, level] of [
    [10 * GIB, GIB, 'ok'],
    [0.5 * GIB, 0, 'warn'],
    [10 * GIB, 20 * GIB, 'warn'],
    [1024, 0, 'fail'],
  ] as const) {
    test(`${free} bytes beside a ledger of ${ledger}: ${level}`, () => {
      assert.equal(judgeDisk(about, free, ledger).level, level);
    });
  }
});

describe('checkCurrency', () => {
  test('warns while the last acceptance was in another currency than the lira', () => {
    assert.deepEqual(checkCurrency('main' as AccountId, null), []);
    const [finding] = checkCurrency('main' as AccountId, 'EUR');
    assert.equal(finding?.level, 'warn');
    assert.match(finding?.message ?? '', /charges in EUR, not in TRY/);
  });
});
