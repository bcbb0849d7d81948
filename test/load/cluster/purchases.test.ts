import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../src/database/open.ts';
import { raw, sql } from '../../../src/database/sql.ts';
import { findWrongPurchases } from './purchases.ts';

const toUrl = (watch: string, page: number) => `https://${watch}.example/products/${page}/a-page-of-a-shop`;

describe('the oracle of purchases', () => {
  test('names pages that were never bought, bought twice, or listed nowhere', async (t) => {
    const service = openDatabase('sqlite::memory:');
    t.after(() => service.close());
    await service.run(raw('CREATE TABLE submissions (id INTEGER PRIMARY KEY)'));
    await service.run(raw('CREATE TABLE submission_urls (submission_id INTEGER, url TEXT)'));
    const submit = async (id: number, ...urls: string[]) => {
      await service.run(sql`INSERT INTO submissions (id) VALUES (${id})`);
      for (const url of urls)
        await service.run(sql`INSERT INTO submission_urls (submission_id, url) VALUES (${id}, ${url})`);
    };
    const pages = new Map([
      ['w0001', 2],
      ['w0002', 2],
    ]);
    await submit(1, toUrl('w0001', 0), toUrl('w0001', 1));
    await submit(2, toUrl('w0002', 1), toUrl('w0002', 0));
    assert.deepEqual(await findWrongPurchases(service, pages), []);

    await submit(3, toUrl('w0001', 1), toUrl('w0001', 2), toUrl('w0003', 0));
    pages.set('w0002', 3);
    assert.deepEqual(await findWrongPurchases(service, pages), [
      `${toUrl('w0001', 1)} was bought 2 times`,
      `${toUrl('w0001', 2)} was bought, and no sitemap lists it`,
      `${toUrl('w0003', 0)} was bought, and no sitemap lists it`,
      '1 of 3 pages of w0002 were never bought, the first is 2',
    ]);
  });
});
