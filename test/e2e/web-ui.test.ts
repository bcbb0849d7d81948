import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM, skipWithoutChromium } from '../support/dashboard.ts';
import { BROWSER_SETTINGS, SAVED_VIEWS } from '../support/saved-views.ts';
import { readFirstScreen, storeSettings, takePicture } from '../support/web-ui-page.ts';
import { findPage, openScene, type Scene } from '../support/web-ui-scene.ts';

/*
 * What ops see on the first screen of the Web UI, at 1,440 × 900 and without a click. `npm run docs:screenshots` writes the
 * pictures of docs/guides/temporal-web-ui.md with it.
 */

const PICTURES = process.env.COURIER_TEST_SCREENSHOTS;
const LIST = '/namespaces/default/workflows';

describe('the first screen of the Web UI', { skip: skipWithoutChromium }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'courier-web-ui-'));
  let scene: Scene;
  let browser: Browser;
  let page: Page;

  before(async () => {
    scene = await openScene(folder);
    for (const watch of ['blog', 'shop', 'press', 'news']) await scene.courier('run', watch);
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, colorScheme: 'light' });
    await context.addInitScript(storeSettings(BROWSER_SETTINGS));
    page = await context.newPage();
  });

  after(async () => {
    await browser?.close();
    await scene?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Waits until the page shows all of it; then takes its picture. */
  async function shows(name: string, path: string, ...expected: RegExp[]): Promise<void> {
    await page.goto(scene.uiUrl + path);
    const deadline = Date.now() + 60_000;
    for (;;) {
      const seen = await readFirstScreen(page);
      const missing = expected.filter((each) => !each.test(seen));
      if (missing.length === 0) break;
      if (Date.now() > deadline) assert.fail(`not on the first screen of ${path}: ${missing.join(', ')}\n${seen}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, `${name}.webp`), await takePicture(page));
  }

  const findRun = (type: string, ...conditions: string[]): Promise<string> =>
    findPage(scene, [`WorkflowType='${type}'`, ...conditions].join(' AND '));

  test('of a held run: that it waits for a decision, about how many URLs and how much money', async () => {
    const path = await findRun('watchSitemap', "CourierPhase='held'");
    await shows('held-run', path, /HELD: approve or reject 4,210 URLs, 1,052\.50 TRY/);
  });

  test('of a suspended account: what is missing, and when it is checked next', async () => {
    const path = await findRun('dispatchAccount', "CourierPhase='suspended'");
    await shows(
      'suspended-account',
      path,
      /SUSPENDED: 40\.00 TRY missing: 50\.00 TRY for 1 batch \(200 URLs\).*next check \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? Europe\/Istanbul/,
    );
  });

  test('of a run that waits for that account: the same money', async () => {
    await shows('waiting-run', await findRun('watchSitemap', "CourierPhase='waiting'"), /WAITING: 40\.00 TRY missing/);
  });

  test('of a submission in flight: its URLs, its charge and the time of the next poll', async () => {
    await shows(
      'submission',
      await findRun('trackSubmission'),
      /OPEN, 40 URLs, 10\.00 TRY charged: .* is queued.*next poll \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? Europe\/Istanbul/,
    );
  });

  test('of a failed run: why it failed, and that it cost nothing', async () => {
    await shows(
      'failed-run',
      await findRun('watchSitemap', "ExecutionStatus='Failed'"),
      /Nothing could be read: .*404.*Nothing was submitted or charged by this run/,
    );
  });

  test('of a completed run: what it submitted for how much', async () => {
    const path = await findRun('watchSitemap', "CourierWatch='blog'", "ExecutionStatus='Completed'");
    await shows('completed-run', path, /"Submitted 40 URLs for 10\.00 TRY/);
  });

  test('of the schedules: when each watch runs next', async () => {
    // The server lists schedules in no order, and the screen has room for four of the five.
    await shows('schedules', '/namespaces/default/schedules', /watch\/\w+\/\w+/, /Europe\/Istanbul/, /01:30:00/);
  });

  test('of the list: what each workflow waits for, with the money', async () => {
    await shows(
      'workflow-list',
      LIST,
      /HELD: approve or reject 4,210 URLs, 1,052\.50 TRY/,
      /SUSPENDED: 40\.00 TRY missing/,
      /WAITING: 40\.00 TRY missing/,
      /Nothing could be read/,
    );
  });

  for (const { name, query } of SAVED_VIEWS) {
    test(`the view "${name}" is a list that the server accepts`, async () => {
      const answer = await fetch(`${scene.uiUrl}/api/v1${LIST}?query=${encodeURIComponent(query)}`);
      assert.equal(answer.status, 200, await answer.text());
    });
  }
});
