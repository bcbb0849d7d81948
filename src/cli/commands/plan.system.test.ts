import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { courier, ofType, printCourier, publish } from '../../../test/support/cli.ts';
import { openService } from '../../../test/support/service.ts';
import { openShopFolder } from '../../../test/support/shop-folder.ts';

describe('courier plan --urls', () => {
  test('lists what would be bought and what a cap holds back, each with why, and buys nothing', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service, '', { watch: 'spend: { per_run: 0.50 TRY }' });
    publish(folder, ['a', 'b', 'c']);
    const planned = await courier(folder, 'plan', '--urls');
    assert.equal(planned.code, 7, planned.stderr);
    assert.match(String(ofType(planned, 'plan')[0]?.notices), /1 URL held back: .*per run of 0\.50 TRY/);
    assert.deepEqual(
      ofType(planned, 'planned_url').map(({ url, due, generation, held_reason }) => [
        url,
        due,
        generation,
        held_reason !== null,
      ]),
      [
        ['https://shop.example/a', 'new', 1, false],
        ['https://shop.example/b', 'new', 1, false],
        ['https://shop.example/c', 'new', 1, true],
      ],
    );
    const text = await printCourier(folder, 'plan', '--urls');
    assert.match(text, /^ {2}\+ https:\/\/shop\.example\/a {2}new\n {2}\+ https:\/\/shop\.example\/b {2}new\n/m);
    assert.match(text, /^ {2}- https:\/\/shop\.example\/c {2}new, held: .*per run of 0\.50 TRY/m);
    assert.equal(ofType(await courier(folder, 'plan'), 'planned_url').length, 0);
  });

  test('a plan of many watches of an account makes no more requests than one of one', async (t) => {
    const { service } = await openService(t, 'sqlite');
    /** What the second plan has left shows what the first one took. */
    const readLeft = async (folder: string) => {
      await courier(folder, 'plan');
      return / and (\d+) requests this minute/.exec(await printCourier(folder, 'plan'))?.[1];
    };
    const one = await openShopFolder(t, service);
    publish(one, ['a']);
    const many = await openShopFolder(t, service);
    publish(many, ['a']);
    const file = join(many, 'courier.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace(/^ {2}shop: (.*)$/m, (line, watch) => `${line}\n  blog: ${watch}\n  news: ${watch}`),
    );
    const left = await readLeft(one);
    assert.match(String(left), /^11\d$/);
    assert.equal(await readLeft(many), left);
  });

  test('a plan made twice counts the same twice', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service);
    publish(folder, ['a', 'b']);
    const counts = async () => {
      const [plan] = ofType(await courier(folder, 'plan'), 'plan');
      return [plan?.found, plan?.new, plan?.changed, plan?.known, plan?.gone, plan?.urls];
    };
    assert.deepEqual(await counts(), [2, 2, 0, 0, 0, 2]);
    assert.deepEqual(await counts(), [2, 2, 0, 0, 0, 2]);
  });
});
