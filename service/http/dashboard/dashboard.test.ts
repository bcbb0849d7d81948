import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { type Bench, openService, serviceTest, TestClient, urlList } from '../../../test/support/service.ts';

const CHROMIUM = [
  process.env.COURIER_TEST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
const skip = CHROMIUM === undefined ? 'no Chromium here: install one or name it in COURIER_TEST_CHROMIUM' : false;

const getRoot = ({ service }: Bench): string => new URL('/', service.baseUrl).href;

test('the dashboard: sign in, balance, submissions and URLs, a key made, regenerated and revoked, in Chromium', {
  skip,
}, async (t) => {
  const bench = await openService(t, 'sqlite');
  const { service, client, account } = bench;
  const password = await service.accounts.resetPassword(account);
  const { body } = await client.post('/submissions', 'dashboard-key', {
    project: '<b>Shop & Söhne</b>',
    urls: urlList(120),
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  t.after(() => browser.close());
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('console', (message) => void problems.push(message.text()));
  await page.goto(getRoot(bench));
  await page.getByLabel('Account').fill(account);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Balance' }).waitFor();
  const text = (await page.locator('main').textContent()) ?? '';
  assert.ok(text.includes('970.00 TRY') && text.includes('-30.00 TRY') && text.includes('<b>Shop & Söhne</b>'));

  await page.getByRole('link', { name: body.data.reference }).click();
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByRole('cell', { name: 'https://shop.example/p/119' }).waitFor();
  await page.getByRole('link', { name: 'Back to the account' }).click();

  await page.getByLabel('Name of a new key').fill('from the page');
  await page.getByRole('button', { name: 'Create key' }).click();
  const made = (await page.locator('#new-key').textContent()) ?? '';
  assert.equal(await new TestClient(client.baseUrl, made).balance(), 970);
  await page.goto(getRoot(bench));
  assert.equal(await page.locator('#new-key').count(), 0, 'shown once');
  const row = page.getByRole('row', { name: 'from the page' });
  await row.getByRole('button', { name: 'Regenerate' }).click();
  const again = (await page.locator('#new-key').textContent()) ?? '';
  assert.equal((await new TestClient(client.baseUrl, made).get('/balance')).status, 401);
  assert.equal((await new TestClient(client.baseUrl, again).get('/balance')).status, 200);
  await page.goto(getRoot(bench));
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('heading', { name: 'Balance' }).waitFor();
  assert.equal((await new TestClient(client.baseUrl, again).get('/balance')).status, 401);

  const cookie = (await page.context().cookies())[0];
  assert.ok(cookie?.httpOnly && cookie.sameSite === 'Strict');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.deepEqual(problems, [], 'the console stays empty');
});

serviceTest(
  'the dashboard lets nobody in without a password, changes nothing without its token, and shows nothing to a stranger',
  async (bench) => {
    const { service, client, account, db } = bench;
    const password = await service.accounts.resetPassword(account);
    const send = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(getRoot(bench) + path, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' });
    assert.equal((await send('sign-in', { account, password: 'wrong' })).status, 401);
    assert.equal((await send('sign-in', { account: 'nobody', password })).status, 401);
    assert.equal((await send('sign-in', { account, password }, { 'sec-fetch-site': 'cross-site' })).status, 400);
    const entered = await send('sign-in', { account, password });
    assert.equal(entered.status, 303);
    const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
    assert.equal((await send('keys', { name: 'x' }, { cookie })).status, 400, 'no token');
    assert.equal((await send('keys', { name: 'x', csrf: 'guessed' }, { cookie })).status, 400);
    assert.equal((await send('keys', { name: 'x' })).status, 403, 'no session');
    const { body } = await client.post('/submissions', 'dashboard-key', { urls: urlList(1) });
    const theirs = await fetch(`${getRoot(bench)}submissions/${body.data.reference}`);
    assert.ok((await theirs.text()).includes('Sign in'));
    const [session] = await db.all<{ hash: Uint8Array }>({ strings: ['SELECT hash FROM sessions'], parts: [] });
    assert.ok(
      !cookie.includes(Buffer.from(session!.hash).toString('base64url')),
      'only a hash of the cookie is stored',
    );
    for (let attempt = 0; attempt < 8; attempt++) await send('sign-in', { account, password: 'wrong' });
    assert.equal((await send('sign-in', { account, password })).status, 429, 'guessing is slowed down');
  },
);
