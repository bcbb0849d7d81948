import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findLineFault } from './url-line.ts';

const LINES: Readonly<Record<string, ReturnType<typeof findLineFault>>> = {
  'https://shop.example/': null,
  'https://shop.example/a,b': null,
  'https://shop.example/a;b|c': null,
  'https://shop.example/a;jsessionid=1,2': null,
  'https://shop.example/stay;from=2024-01-01;to=2024-01-02': null,
  'https://shop.example/0,114871,12345.html': null,
  'https://shop.example/artikel,123456': null,
  'https://shop.example/@41.0082,28.9784': null,
  'https://shop.example/news/2024-01-01': null,
  'https://shop.example/?list=1,2,3&next=https://shop.example/': null,
  'https://shop.example/ürün': null,
  'https://shop.example/a,2024-01-01': 'columns',
  'https://shop.example/a;2024-01-01T10:00:00+03:00': 'columns',
  'https://shop.example/a|01.02.2024': 'columns',
  'https://shop.example/a,2024/1/2': 'columns',
  'https://shop.example/a,Title,2024-01-01': 'columns',
  'https://shop.example/a,weekly': 'columns',
  'https://shop.example/a,2024-01-01,daily,0.8': 'columns',
  'https://shop.example/a;0,8': 'columns',
  'https://shop.example/a,': 'columns',
  'https://shop.example/a;;': 'columns',
  'https://shop.example/a,https://shop.example/b': 'columns',
  'https://shop.example/a,https://shop.example/b,Title': 'columns',
  'https://shop.example/a\t2024-01-01': 'more',
  'https://shop.example/a 200': 'more',
  'https://shop.example/a, https://shop.example/b': 'more',
  'https://shop.example/a,"Title"': 'more',
  'https://shop.example/a</loc>': 'more',
  'https://shop.example/a\\par': 'more',
  '`https://shop.example/a`': 'more',
  'https://shop.example/a lastmod=2024-01-01': 'more',
};
describe('findLineFault', () => {
  for (const [line, fault] of Object.entries(LINES)) {
    test(`${JSON.stringify(line)} is ${fault === null ? 'one URL' : `refused: ${fault}`}`, () => {
      assert.equal(findLineFault(line), fault);
    });
  }
});
