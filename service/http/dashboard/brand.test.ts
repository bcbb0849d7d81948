import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Visitor } from '../../../test/support/dashboard.ts';
import { openService } from '../../../test/support/service.ts';
import { SettingsError } from '../../settings-error.ts';
import { readBrand } from './brand.ts';
import { ICON } from './icon.ts';

describe('the name and the logo of the operator', () => {
  test("the operator's name and logo stand on every page, also on one that is not found", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-brand-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const logoFile = join(folder, 'logo.SVG');
    writeFileSync(logoFile, ICON);
    const bench = await openService(t, 'sqlite', { settings: { dashboard: { name: 'Shop <Index>', logoFile } } });
    const visitor = new Visitor(bench);
    for (const path of ['/', '/nothing-here']) {
      const { text } = await visitor.get(path, { accept: 'text/html' });
      assert.match(text, /<p class="product"><img class="logo" src="\/logo" alt=""> Shop &lt;Index&gt;<\/p>/, path);
    }
    const { headers, text } = await visitor.get('/logo');
    assert.deepEqual([headers.get('content-type'), text], ['image/svg+xml', ICON]);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/, 'a script in it is never run');
  });

  test('a logo that cannot be shown is refused at the start, with what to do', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-brand-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const large = join(folder, 'large.png');
    writeFileSync(large, Buffer.alloc(300_000));
    for (const logoFile of [join(folder, 'missing.png'), join(folder, 'logo.txt'), large]) {
      assert.throws(
        () => readBrand({ name: null, logoFile }),
        (error) => {
          assert.ok(error instanceof SettingsError);
          assert.match(error.message, /Nothing was started; correct dashboard\.logo/);
          return true;
        },
      );
    }
  });
});
