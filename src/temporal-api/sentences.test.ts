import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { micros } from '../../contract/money.ts';
import { batches, count, money, urls } from './sentences.ts';

describe('texts for the Web UI', () => {
  test('counts and amounts group their thousands', () => {
    assert.deepEqual([count(0), count(999), count(1_000), count(1_234_567)], ['0', '999', '1,000', '1,234,567']);
    assert.deepEqual([urls(1), urls(4_210), batches(1), batches(2)], ['1 URL', '4,210 URLs', '1 batch', '2 batches']);
    assert.equal(money(micros(1_052_500_000)), '1,052.50 TRY');
    assert.equal(money(micros(-1_234_567_125_000)), '-1,234,567.125 TRY');
    assert.equal(money(micros(250_000)), '0.25 TRY');
    assert.equal(money(null), 'price not known yet');
  });
});
