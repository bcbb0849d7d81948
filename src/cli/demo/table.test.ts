import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Micros, ZERO } from '../../../contract/money.ts';
import type { WatchId } from '../../submission/ids.ts';
import { formatResultTable } from './table.ts';

const none = { found: 420, new: 0, submitted: 0, completed: 0, failed: 0, checked: 0, inIndex: 0, chargedChecks: ZERO };
const row = (charged: number, balance: number) => ({
  line: { ...none, watch: 'demo-shop' as WatchId, charged: charged as Micros },
  balance: balance as Micros,
});

describe('the table that ends the demo', () => {
  test('each job shows what it left in the account', () => {
    const text = formatResultTable([row(105_000_000, 49_895_000_000), row(3_000_000, 49_892_000_000)]);
    const [first, second] = text.split('\n').filter((line) => line.includes('demo-shop'));
    assert.match(first!, /105\.00 TRY .* 49895\.00 TRY/);
    assert.match(second!, / 3\.00 TRY .* 49892\.00 TRY/);
  });
});
