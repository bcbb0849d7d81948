import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { findViolations } from '../../test/support/browser.ts';
import { CHROMIUM, skipWithoutChromium } from '../../test/support/dashboard.ts';
import { seedReportLedger } from '../../test/support/report-ledger.ts';
import { readConfig } from '../config/load.ts';
import { openDatabase } from '../database/open.ts';
import { ledgerOver } from '../ledger/open-ledger.ts';
import { collectReport } from './collect.ts';
import { LANGUAGES } from './messages.ts';
import { renderPage } from './page.ts';
import type { Report } from './report.ts';

/** Set to a folder to keep a picture of every page. */
const PICTURES = process.env.COURIER_TEST_PICTURES;
const NOW = Date.UTC(2026, 2, 20, 13, 5);
const HOSTILE = '</td><script>document.title="run"</script><img src="https://evil.example/x" onerror="x()">"\u202e=cmd';

/** Inside a table that scrolls, and in a picture, nothing can overflow the page. */
const OVERFLOW = `[...document.querySelectorAll('body *')]
  .filter((each) => !each.closest('.scroll, svg, .hidden'))
  .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((each) => each.outerHTML.slice(0, 120))`;
/** Texts of plots that stand out of their picture. */
const CUT_TEXTS = `[...document.querySelectorAll('svg')].filter((each) => each.checkVisibility()).flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')]
    .filter((each) => each.getBoundingClientRect().right > box.right + 1 || each.getBoundingClientRect().left < box.left - 1)
    .map((each) => each.textContent); })`;

const toConfig = (watches: readonly string[]) =>
  readConfig(
    `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: KEY }, spend: { per_day: 40 TRY, per_month: 900 TRY } }
watches:
${watches.map((watch) => `  ${watch}: { account: main, sitemaps: ["https://${watch}.example/sitemap.xml"] }`).join('\n')}
`,
    'courier.yaml',
  );

async function collect(watches: readonly string[], urls: number): Promise<Report> {
  const db = openDatabase('sqlite::memory:', { synchronous: 'NORMAL' });
  const url = (watch: string, n: number) =>
    `https://${watch}.example/${'long-path-'.repeat(n % 40 === 0 ? 30 : 1)}${HOSTILE}${n}`;
  await seedReportLedger(db, {
    watches,
    urls,
    days: 40,
    now: NOW,
    batchSize: 100,
    reasons: [HOSTILE, null, 'HTTP 404'],
    url,
  });
  const ledger = await ledgerOver(db, () => NOW);
  const report = await collectReport(ledger, toConfig(watches), {
    watches: [],
    accounts: [],
    since: NOW - 30 * 86_400_000,
  });
  await ledger.close();
  return report;
}

describe('the report in Chromium', { skip: skipWithoutChromium }, () => {
  let browser: Browser;
  const folder = mkdtempSync(join(tmpdir(), 'courier-report-page-'));
  before(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: CHROMIUM!, args });
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('fits 1,400 and 400 px and paper, light and dark, satisfies axe, loads nothing and runs nothing', async () => {
    const reports = {
      months: await collect(['shop', 'blog', 'a-watch-with-a-name-that-is-as-long-as-one-may-be-in-a-file-x'], 600),
      empty: await collect(['shop'], 0),
    };
    const problems: string[] = [];
    for (const [name, report] of Object.entries(reports)) {
      for (const language of LANGUAGES) {
        const file = join(folder, `${name}-${language}.html`);
        writeFileSync(file, renderPage(report, language));
        for (const [width, colorScheme, media] of [
          [1400, 'light', 'screen'],
          [1400, 'dark', 'screen'],
          [760, 'light', 'screen'],
          [400, 'dark', 'screen'],
          [720, 'light', 'print'],
        ] as const) {
          const label = `${name} ${language} ${width} ${colorScheme} ${media}`;
          const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
          const page = await context.newPage();
          await page.emulateMedia({ media, colorScheme });
          page.on('console', (message) => problems.push(`${label} console: ${message.text()}`));
          page.on('pageerror', (error) => problems.push(`${label} error: ${error.message}`));
          page.on('request', (request) => {
            if (request.url() !== pathToFileURL(file).href) problems.push(`${label} requests ${request.url()}`);
          });
          await page.goto(pathToFileURL(file).href);
          if (PICTURES !== undefined)
            await page.screenshot({ path: join(PICTURES, `report-${label.replaceAll(' ', '-')}.png`), fullPage: true });
          for (const found of await page.evaluate<string[]>(OVERFLOW)) problems.push(`${label} overflows: ${found}`);
          for (const found of await page.evaluate<string[]>(CUT_TEXTS)) problems.push(`${label} cuts: ${found}`);
          if (media === 'screen') problems.push(...(await findViolations(page)).map((found) => `${label}: ${found}`));
          const { title, scripts, images, lang, plots, wide } = await page.evaluate<Record<string, number | string>>(`({
            title: document.title, scripts: document.scripts.length, images: document.images.length,
            lang: document.documentElement.lang,
            wide: document.documentElement.scrollWidth,
            plots: [...document.querySelectorAll('svg')].filter((each) => each.checkVisibility()).length })`);
          // Coverage of three watches, money, new URLs, three stages and index-checks: each once, at the size that fits.
          const expected = name === 'empty' ? 0 : 9;
          const shown = { scripts, images, lang, plots, fits: Number(wide) <= width, hostile: title === 'run' };
          assert.deepEqual(
            shown,
            { scripts: 0, images: 0, lang: language, plots: expected, fits: true, hostile: false },
            label,
          );
          await context.close();
        }
      }
    }
    assert.deepEqual(problems, []);
  });
});
