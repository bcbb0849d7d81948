import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { startCodecServer } from '../support/codec-server.ts';
import { CHROMIUM, skipWithoutChromium } from '../support/dashboard.ts';
import { readFirstScreen, storeSettings } from '../support/web-ui-page.ts';
import { findPage, openScene, type Scene } from '../support/web-ui-scene.ts';

const RESULT = /"Submitted 40 URLs for 10\.00 TRY/;

/** Encrypted payloads on the page of a completed run: with the codec server and without it. */
describe('the Web UI of an encrypted ledger', { skip: skipWithoutChromium }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'courier-web-ui-encrypted-'));
  let scene: Scene;
  let browser: Browser;

  before(async () => {
    writeFileSync(join(folder, 'codec.key'), randomBytes(32).toString('base64'));
    scene = await openScene(folder, { encryption: '{ key: { file: codec.key } }' });
    await scene.courier('run', 'blog');
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  });

  after(async () => {
    await browser?.close();
    await scene?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the page shows once `expected` is there. */
  async function openPage(path: string, settings: Readonly<Record<string, unknown>>, expected: RegExp) {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
    try {
      await context.addInitScript(storeSettings(settings));
      const page = await context.newPage();
      await page.goto(scene.uiUrl + path);
      for (const deadline = Date.now() + 60_000; ; ) {
        const seen = await readFirstScreen(page);
        if (expected.test(seen)) return seen;
        if (Date.now() > deadline) assert.fail(`not on the first screen: ${expected}\n${seen}`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    } finally {
      await context.close();
    }
  }

  test('shows sentences through the codec server, and nothing to who has none', async (t) => {
    const url = await startCodecServer(t, folder, scene.uiUrl);
    const path = await findPage(scene, "WorkflowType='watchSitemap' AND ExecutionStatus='Completed'");
    await openPage(path, { endpoint: url, overrideRemoteCodecConfiguration: true }, RESULT);
    const without = await openPage(path, {}, /binary\/encrypted|encoding/);
    assert.doesNotMatch(without, RESULT);
  });
});
