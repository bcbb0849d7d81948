/** Money that is missing when cron runs the watch: what is said, and what a top-up then does. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { micros } from '../../contract/money.ts';
import { type Service, startService } from '../../service/serve.ts';
import { type CommandRun, courier, ofType, printCourier, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { lira, openShopFolder } from '../support/shop-folder.ts';

const pages = (count: number) => Array.from({ length: count }, (_, page) => String(page));

const listHeld = ({ records }: CommandRun): readonly unknown[] => {
  const held = records.at(-1)?.held;
  return Array.isArray(held) ? held : [];
};

async function openScene(t: TestContext, balance: string, spend = '') {
  const service: Service = await startService({
    database: emptyDatabaseUrl(t, 'sqlite'),
    settings: { budgets: AMPLE },
  });
  t.after(() => service.close());
  const folder = await openShopFolder(t, service);
  const [account] = await service.accounts.accounts();
  assert.ok(account !== undefined);
  const amount = micros(lira(balance) - lira('1000'));
  await service.accounts.move(account.name, 'adjustment', { amount, reason: 'test', reference: 'start' });
  const file = join(folder, 'courier.yaml');
  if (spend !== '')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('api_key: { file: key }', `api_key: { file: key }, ${spend}`),
    );
  return { folder, topUp: (amount: string) => service.accounts.topUp(account.name, lira(amount)) };
}

describe('run --once without enough money', () => {
  test('after a 402 and a top-up the next command buys, and does not repeat the refusal', async (t) => {
    const { folder, topUp } = await openScene(t, '1');
    publish(folder, pages(20));
    const refused = await courier(folder, 'run', '--once');
    assert.equal(refused.code, 7, refused.stderr);
    assert.match(refused.stderr, /The balance is 1\.00 TRY as of /);
    await topUp('1000');
    const bought = await courier(folder, 'run', '--once');
    assert.equal(bought.code, 0, bought.stderr);
    const [account] = ofType(await courier(folder, 'status'), 'account');
    assert.equal(account?.charged_ever_micros, lira('5'));
  });

  test('a run at its floor says that it goes on by itself, ends with 7, and goes on with the next command', async (t) => {
    const { folder, topUp } = await openScene(t, '10', 'spend: { balance_floor: 10 TRY }');
    publish(folder, pages(20));
    const planned = await courier(folder, 'plan');
    assert.match(
      JSON.stringify(ofType(planned, 'plan')[0]?.guards),
      /above its floor of 10\.00 TRY/,
      'plan says it, too',
    );
    const held = await courier(folder, 'run', '--once');
    assert.equal(held.code, 7, held.stderr);
    assert.match(
      held.stderr,
      /this run waits for money: 20 URLs, 5\.00 TRY; none of them fits the caps and the balance now/,
    );
    assert.match(held.stderr, /Top up, and it goes on by itself\. You can also decide with "courier approve/);
    const check = await courier(folder, 'status', '--check');
    assert.deepEqual([check.code, listHeld(check).length], [7, 1]);
    assert.match(
      await printCourier(folder, 'tonight'),
      /waits for money\. Top up, and it goes on by itself|shop: no schedule/,
    );
    const still = await courier(folder, 'run', '--once');
    assert.equal(still.code, 7, still.stderr);
    await topUp('1000');
    const bought = await courier(folder, 'run', '--once');
    assert.equal(bought.code, 0, bought.stderr);
    const [account] = ofType(await courier(folder, 'status'), 'account');
    assert.equal(account?.charged_ever_micros, lira('5'));
  });

  test('an approval that plans nothing says why and ends with 7', async (t) => {
    const { folder } = await openScene(t, '10', 'spend: { balance_floor: 10 TRY }');
    publish(folder, pages(20));
    const held = await courier(folder, 'run', '--once');
    assert.equal(held.code, 7, held.stderr);
    const run = String(listHeld(await courier(folder, 'status'))[0]);
    const approved = await courier(folder, 'approve', run, '--once');
    assert.equal(approved.code, 7, approved.stderr);
    assert.match(
      JSON.stringify(ofType(approved, 'run')),
      /20 URLs held back: the balance leaves 0\.00 TRY above its floor/,
    );
  });
});

describe('apply --once', () => {
  test('carries out a plan in this process, once, and says what was charged', async (t) => {
    const { folder } = await openScene(t, '100');
    publish(folder, pages(3));
    assert.equal((await courier(folder, 'plan', '-o', 'plan.json')).code, 0);
    const text = await printCourier(folder, 'apply', 'plan.json', '--once');
    assert.match(text, /shop: 3 URLs in 1 batch, 0\.75 TRY/);
    assert.match(text, /shop: 3 URLs submitted, charged 0\.75 TRY\n/);
    const twice = await courier(folder, 'apply', 'plan.json', '--once');
    assert.equal(twice.code, 2);
    assert.match(twice.stderr, /already applied/);
    const [account] = ofType(await courier(folder, 'status'), 'account');
    assert.equal(account?.charged_ever_micros, lira('0.75'));
  });
});
