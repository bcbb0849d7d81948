import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { micros } from '../../../contract/money.ts';
import { findViolations, OPEN_ALL } from '../../../test/support/browser.ts';
import { CHROMIUM, getRoot, skipWithoutChromium } from '../../../test/support/dashboard.ts';
import { type Bench, lira, openService, TestClient, urlList } from '../../../test/support/service.ts';
import { begin, finish, recordOutcomes } from '../../processing/transitions.ts';
import { ICON } from './icon.ts';

/** Set to a folder to keep a picture of every page. */
const PICTURES = process.env.COURIER_TEST_PICTURES;
const WIDTHS = [1400, 800, 390, 360] as const;
const LONG_PROJECT = 'Sehir-Ici-Uzun-Proje-Adi-Bosluksuz-'.repeat(4).slice(0, 120);

interface Seeded {
  readonly password: string;
  /** Every page, by the name of its picture. */
  readonly paths: Readonly<Record<string, string>>;
}

/** An account with everything that a page can show, long texts and large amounts included. */
async function seed({ service, client, db, account }: Bench): Promise<Seeded> {
  const { accounts } = service;
  await accounts.topUp(account, lira('1234567.891234'), { reference: 'invoice 2026-118', reason: 'yearly budget' });
  await accounts.setPrice(account, 'standard', micros(12_500));
  const submit = async (project: string, count: number, level = 'standard', path = 'p') => {
    const urls = urlList(count, `https://shop.example/${path}/`);
    const key = `browser-${project.slice(0, 20).replaceAll(/[^a-z]/gi, '-')}-${count}`;
    return (await client.post('/submissions', key, { project, urls, service: level })).body.data.reference;
  };
  const long = `${'a-very-long-path-without-a-break'.repeat(20)}?query=${'x'.repeat(200)}`;
  const partial = await submit('<b>Shop & Söhne</b>', 60);
  await submit(LONG_PROJECT, 3, 'fast', long);
  for (const state of ['completed', 'failed'] as const) {
    const reference = await submit(`all ${state}`, 2);
    await begin(db, reference, Date.now());
    const outcomes = [0, 1].map((position) => ({ position, status: state, reason: state === 'failed' ? '404' : null }));
    await recordOutcomes(db, reference, outcomes, Date.now());
    await finish(db, reference, { refundFailed: false, now: Date.now() });
  }
  await begin(db, partial, Date.now());
  const outcomes = urlList(60).map((_, position) =>
    position % 20 === 7
      ? ({ position, status: 'failed', reason: 'the host refused the key file (403)' } as const)
      : ({ position, status: 'completed', reason: null } as const),
  );
  await recordOutcomes(db, partial, outcomes, Date.now());
  await finish(db, partial, { refundFailed: true, now: Date.now() });
  await begin(db, await submit('in processing', 2), Date.now());
  for (let index = 0; index < 30; index++) await submit(`batch ${index}`, 1 + index);
  const check = await client.post<{ id: string }>('/index-check', 'browser-check-1', {
    urls: [`https://shop.example/${long}`, 'https://shop.example/~missing'],
  });
  await client.post('/index-check', 'browser-check-2', { urls: ['https://shop.example/~down'] });
  const { id } = await accounts.account(account);
  const { id: old } = await accounts.createKey({ account: id, name: 'old server' });
  await accounts.revokeKey(old);
  const { id: key } = await accounts.createKey({ account: id, name: LONG_PROJECT.slice(0, 80) });
  await accounts.regenerateKey(key, { graceMs: 3_600_000 });
  const live = (await accounts.keys(account))[0]!.id;
  return {
    password: await accounts.resetPassword(account),
    paths: {
      overview: '/',
      submissions: '/submissions',
      'submissions-filtered': '/submissions?q=batch&status=queued&page=2&from=2026-02-30',
      'submissions-none': '/submissions?q=nothing+like+this',
      submission: `/submissions/${partial}`,
      'submission-failed': `/submissions/${partial}?show=failed`,
      'submission-unknown': '/submissions/sub_unknown',
      checks: '/index-checks',
      check: `/index-checks/${check.body.data.id}`,
      entries: '/entries',
      audit: '/entries/audit',
      keys: '/keys?ended=all',
      'keys-revoke': `/keys/${live}/revoke`,
      'keys-regenerate': `/keys/${live}/regenerate`,
      account: '/account',
      contract: '/contract',
    },
  };
}

/** Elements that stand out of the window. */
const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('body *')]
    .filter((each) => !each.closest('thead, .skip, svg') && each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map((each) => each.outerHTML.slice(0, 120))`);

/** Short words that are broken over two lines, or that stand letter under letter. */
const findBrokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const broken = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (!node.parentElement.checkVisibility() || node.parentElement.closest('thead, .skip, svg, option, pre')) continue;
      for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}.,−]+/gu)) {
        // Names and URLs of customers may be longer than a line.
        if (word.length > 15 && node.parentElement.closest('.text, dd, h1, code')) continue;
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (tops.size > 1) broken.push(word);
      }
    }
    return broken;
  })()`);

describe('the dashboard in Chromium', { skip: skipWithoutChromium }, () => {
  let browser: Browser;
  before(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: CHROMIUM!, args });
  });
  after(() => browser.close());

  async function signIn(
    context: BrowserContext,
    bench: Bench,
    password: string,
    account = bench.account,
  ): Promise<Page> {
    const page = await context.newPage();
    await page.goto(getRoot(bench));
    await page.locator('input[name=account]').fill(account);
    await page.locator('input[name=password]').fill(password);
    await page.locator('main button').click();
    await page.locator('nav a[aria-current=page]').waitFor();
    return page;
  }

  test('every page fits 1400, 800, 390 and 360 px, breaks no word, satisfies axe and leaves the console empty', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-brand-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const logoFile = join(folder, 'logo.svg');
    writeFileSync(logoFile, ICON);
    const dashboard = { name: 'Örnek Dizin Hizmetleri A.Ş.', logoFile };
    const bench = await openService(t, 'sqlite', { balance: '100000', settings: { dashboard } });
    const { password, paths } = await seed(bench);
    await bench.service.accounts.createAccount({ name: 'new', balance: lira('5'), price: lira('0.25') });
    const newPassword = await bench.service.accounts.resetPassword('new');
    const problems: string[] = [];
    for (const [language, colorScheme] of [
      ['en', 'light'],
      ['tr', 'dark'],
    ] as const) {
      const context = await browser.newContext({ locale: language, colorScheme });
      const page = await signIn(context, bench, password);
      page.on('console', (message) => {
        // A page that is not found is an answer of 404, which the console repeats.
        if (!message.text().includes('404')) problems.push(`console of ${page.url()}: ${message.text()}`);
      });
      const beginner = await signIn(
        await browser.newContext({ locale: language, colorScheme }),
        bench,
        newPassword,
        'new',
      );
      const signedOut = await (await browser.newContext({ locale: language, colorScheme })).newPage();
      for (const width of WIDTHS) {
        for (const [name, path] of [...Object.entries(paths), ['sign-in', '/'], ['start', '/']] as const) {
          const shown = name === 'sign-in' ? signedOut : name === 'start' ? beginner : page;
          await shown.setViewportSize({ width, height: 900 });
          await shown.goto(new URL(path, getRoot(bench)).href);
          const label = `${name} ${language} ${width}`;
          const judged = width === 360 || (width === 1400 && language === 'en');
          if (!judged) await shown.evaluate(OPEN_ALL);
          else for (const found of await findViolations(shown)) problems.push(`${label}: ${found}`);
          for (const found of await findOverflow(shown)) problems.push(`${label} overflows: ${found}`);
          for (const found of await findBrokenWords(shown)) problems.push(`${label} breaks a word: ${found}`);
          if (PICTURES !== undefined) {
            mkdirSync(PICTURES, { recursive: true });
            await shown.screenshot({ path: join(PICTURES, `${name}-${language}-${width}.png`), fullPage: true });
          }
        }
      }
    }
    assert.deepEqual(problems, []);
  });

  test('a key is made, copied, regenerated and revoked with the keyboard alone; a reload repeats nothing', async (t) => {
    const bench = await openService(t, 'sqlite');
    const password = await bench.service.accounts.resetPassword(bench.account);
    const context = await browser.newContext({ locale: 'en', viewport: { width: 360, height: 800 } });
    const page = await context.newPage();
    await page.goto(getRoot(bench));
    const focus = async (selector: string) => {
      for (let tabs = 0; tabs < 60; tabs++) {
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`Tab never reaches ${selector}`);
    };
    const press = async (selector: string) => {
      await focus(selector);
      const loaded = page.waitForEvent('load');
      await page.keyboard.press('Enter');
      await loaded;
    };
    await focus('input[name=account]');
    await page.keyboard.type(bench.account);
    await focus('input[name=password]');
    await page.keyboard.type(password);
    await press('main button');
    await press('nav a[href="/keys"]');
    await focus('input[name=name]');
    await page.keyboard.type('by keyboard');
    await press('form[action="/keys"] button');
    await page.locator('#new-key').waitFor();
    const made = (await page.locator('#new-key').textContent())!;
    assert.equal(await new TestClient(bench.client.baseUrl, made).balance(), 1000);
    await page.reload();
    assert.equal(await page.locator('#new-key').count(), 0, 'a reload does not show it again');
    await page.goBack();
    assert.equal(await page.locator('#new-key').count(), 0);
    assert.equal((await bench.service.accounts.keys(bench.account)).length, 2, 'a reload makes no key');

    await page.goto(new URL('/keys', getRoot(bench)).href);
    await press('a[aria-label^="Revoke: by keyboard"]');
    assert.equal(await page.locator('h1').textContent(), 'Revoke “by keyboard”?');
    await press('button.danger');
    await page.getByText('The key is revoked.').waitFor();
    assert.equal((await new TestClient(bench.client.baseUrl, made).get('/balance')).status, 401);
    await press('header form button');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('one click copies the first request', async (t) => {
    const bench = await openService(t, 'sqlite');
    const password = await bench.service.accounts.resetPassword(bench.account);
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await signIn(await browser.newContext({ locale: 'en', permissions }), bench, password);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.ok(copied.startsWith(`curl -X POST ${bench.client.baseUrl}/submissions`), copied);
  });
});
