import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '../../../src/database/sql.ts';
import { firstKeyId, getRoot, hiddenFields, openVisitor, shownKey, Visitor } from '../../../test/support/dashboard.ts';
import { openService, serviceTest, TestClient, urlList } from '../../../test/support/service.ts';

describe('sign-in to the dashboard', () => {
  serviceTest('needs name and password, and keeps the name after a wrong password', async (bench) => {
    const { service, account } = bench;
    const password = await service.accounts.resetPassword(account);
    const visitor = new Visitor(bench);
    const wrong = await visitor.signIn(account, 'wrong');
    assert.equal(wrong.status, 401);
    assert.ok(wrong.text.includes(`value="${account}"`));
    assert.equal((await visitor.signIn('nobody', password)).status, 401);
    assert.equal((await visitor.signIn(account, password)).location, '/');
    assert.match((await visitor.get('/')).text, /<h1>Overview<\/h1>/);
  });

  serviceTest('refuses a form from another site, or without the token of its page', async (bench) => {
    const { service, account } = bench;
    const password = await service.accounts.resetPassword(account);
    const visitor = new Visitor(bench);
    const form = { account, password, ...hiddenFields((await visitor.get('/')).text) };
    const foreign = await visitor.send('POST', '/sign-in', form, { 'sec-fetch-site': 'cross-site' });
    assert.equal(foreign.status, 400);
    assert.equal((await visitor.send('POST', '/sign-in', { account, password })).status, 403);
    const elsewhere = new Visitor(bench);
    assert.equal((await elsewhere.send('POST', '/sign-in', form)).status, 403, 'the token belongs to one browser');
    assert.equal(elsewhere.cookies.has('session'), false);
  });

  serviceTest(
    'attempts from another address do not lock the owner out',
    async (bench) => {
      const { service, account } = bench;
      const password = await service.accounts.resetPassword(account);
      const attacker = new Visitor(bench);
      const hidden = hiddenFields((await attacker.get('/')).text);
      const from = (address: string) => ({ 'x-forwarded-for': address });
      const attempt = (address: string) =>
        attacker.send('POST', '/sign-in', { ...hidden, account, password: 'wrong' }, from(address));
      for (let index = 0; index < 10; index++) assert.equal((await attempt('198.51.100.1')).status, 401);
      const refused = await attempt('198.51.100.1');
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      const owner = new Visitor(bench);
      const token = hiddenFields((await owner.get('/')).text);
      const entered = await owner.send('POST', '/sign-in', { ...token, account, password }, from('192.0.2.1'));
      assert.equal(entered.status, 303);
    },
    { settings: { trustedProxies: ['127.0.0.1', '::1'] } },
  );

  serviceTest('a browser that signed in before can sign in from a blocked address', async (bench) => {
    const { service, account } = bench;
    const password = await service.accounts.resetPassword(account);
    const owner = new Visitor(bench);
    assert.equal((await owner.signIn(account, password)).status, 303);
    const visitor = new Visitor(bench);
    for (let index = 0; index < 12; index++) await visitor.signIn(account, 'wrong');
    assert.equal((await visitor.signIn(account, password)).status, 429);
    visitor.cookies.set('device', 'x'.repeat(43));
    assert.equal((await visitor.signIn(account, password)).status, 429, 'an invented device is not known');
    await owner.submit('/', '/sign-out', {});
    assert.equal((await owner.signIn(account, password)).status, 303);
  });

  serviceTest('stores only hashes of the cookies, which scripts cannot read', async (bench) => {
    const visitor = await openVisitor(bench);
    const stored = await bench.db.all(sql<{ hash: Uint8Array }>`
      SELECT hash FROM sessions UNION ALL SELECT hash FROM devices`);
    assert.equal(stored.length, 2);
    for (const { hash } of stored) {
      const text = Buffer.from(hash).toString('base64url');
      assert.ok(![...visitor.cookies.values()].includes(text));
    }
    const page = await new Visitor(bench).get('/');
    for (const cookie of page.headers.getSetCookie()) assert.match(cookie, /; HttpOnly; SameSite=Strict/);
  });
});

describe('a session', () => {
  serviceTest('is needed for every page and every change', async (bench) => {
    const { client } = bench;
    const { body } = await client.post('/submissions', 'dashboard-key', { urls: urlList(1) });
    const visitor = new Visitor(bench);
    for (const path of [
      '/submissions',
      `/submissions/${body.data.reference}`,
      '/entries',
      '/entries.csv',
      '/keys',
      '/account',
    ]) {
      const seen = await visitor.get(path);
      assert.ok(seen.text.includes('<h1>Sign in</h1>') && !seen.text.includes(body.data.reference), path);
    }
    assert.equal((await visitor.send('POST', '/keys', { name: 'x' })).status, 403);
  });

  serviceTest('a change needs the token of the session', async (bench) => {
    const visitor = await openVisitor(bench);
    for (const form of [{ name: 'x' }, { name: 'x', csrf: 'guessed' }]) {
      assert.equal((await visitor.send('POST', '/keys', form as Record<string, string>)).status, 400);
    }
    assert.equal((await bench.service.accounts.keys(bench.account)).length, 1);
  });

  serviceTest('can be listed and ended, one or all others; an ended session is reported as such', async (bench) => {
    const password = await bench.service.accounts.resetPassword(bench.account);
    const [here, there, elsewhere] = [new Visitor(bench), new Visitor(bench), new Visitor(bench)];
    for (const each of [here, there, elsewhere]) assert.equal((await each.signIn(bench.account, password)).status, 303);
    const page = (await here.get('/account')).text;
    const [first] = [...page.matchAll(/action="(\/account\/sessions\/ses_[0-9a-f]+\/end)"/g)];
    await here.submit('/account', first![1]!, {});
    const open = async () =>
      (await Promise.all([there, elsewhere].map((each) => each.get('/account')))).filter(({ text }) =>
        text.includes('<h1>Account</h1>'),
      ).length;
    assert.equal(await open(), 1);
    await here.submit('/account', '/account/sessions/end-others', {});
    assert.equal(await open(), 0);
    assert.match((await there.get('/')).text, /Your session has ended/);
    assert.match((await here.get('/account')).text, /<h1>Account<\/h1>/);
  });

  serviceTest('of another account cannot be ended', async (bench) => {
    const { service } = bench;
    const visitor = await openVisitor(bench);
    const { name, password } = await service.accounts.createAccount({
      name: `other ${Math.random()}`,
      price: 1 as never,
    });
    const other = new Visitor(bench);
    await other.signIn(name, password);
    const [row] = await bench.db.all(sql<{ id: string }>`
      SELECT s.id FROM sessions AS s JOIN accounts AS a ON a.id = s.account_id WHERE a.name = ${name}`);
    await visitor.submit('/account', `/account/sessions/${row!.id}/end`, {});
    assert.match((await other.get('/account')).text, /<h1>Account<\/h1>/);
  });
});

describe('API keys on the dashboard', () => {
  serviceTest('a key is shown once, and neither a reload nor a second click makes another', async (bench) => {
    const { client, service, account } = bench;
    const visitor = await openVisitor(bench);
    const form = { ...hiddenFields((await visitor.get('/keys')).text), name: 'shop server', expiry: '' };
    const made = await visitor.send('POST', '/keys', form);
    assert.deepEqual([made.status, made.location], [303, '/keys/created']);
    const key = shownKey((await visitor.get('/keys/created')).text);
    assert.equal((await new TestClient(client.baseUrl, key).get('/balance')).status, 200);
    assert.equal(shownKey((await visitor.get('/keys/created')).text), '', 'a reload does not show it again');
    const again = await visitor.send('POST', '/keys', form);
    assert.deepEqual([again.status, again.location], [303, '/keys/created']);
    assert.match((await visitor.get('/keys/created')).text, /was shown already, or was made by a click/);
    assert.equal((await service.accounts.keys(account)).length, 2);
    const stored = await bench.db.all(sql`SELECT * FROM api_keys`);
    assert.ok(!JSON.stringify(stored).includes(key), 'the key itself is not stored');
  });

  serviceTest('revoking asks first, says what it does, and ends the key', async (bench) => {
    const { client } = bench;
    const visitor = await openVisitor(bench);
    const id = await firstKeyId(bench);
    const asked = await visitor.get(`/keys/${id}/revoke`);
    assert.match(asked.text, /Revoke “API key”\?.*is refused from now on/s);
    assert.equal((await client.get('/balance')).status, 200, 'asking changes nothing');
    const done = await visitor.submit(`/keys/${id}/revoke`, `/keys/${id}/revoke`, {});
    assert.equal(done.location, '/keys?revoked=1');
    assert.equal((await client.get('/balance')).status, 401);
    assert.equal((await visitor.get(`/keys/${id}/revoke`)).status, 422, 'an ended key cannot be revoked again');
  });

  serviceTest('regenerating with a grace period keeps the old key until it ends, once', async (bench) => {
    const { client, service, account } = bench;
    const visitor = await openVisitor(bench);
    const id = await firstKeyId(bench);
    const page = (await visitor.get(`/keys/${id}/regenerate`)).text;
    assert.match(page, /Regenerate “API key”\?/);
    const form = { ...hiddenFields(page), grace: 'h1' };
    await visitor.send('POST', `/keys/${id}/regenerate`, form);
    const key = shownKey((await visitor.get('/keys/created')).text);
    assert.equal((await new TestClient(client.baseUrl, key).get('/balance')).status, 200);
    assert.equal((await client.get('/balance')).status, 200, 'the old key still works');
    await visitor.send('POST', `/keys/${id}/regenerate`, form);
    assert.equal((await service.accounts.keys(account)).length, 2, 'a second click makes no key');
    await visitor.submit(`/keys/${id}/regenerate`, `/keys/${id}/regenerate`, { grace: 'none' });
    assert.equal((await service.accounts.keys(account)).length, 2, 'a key is regenerated once');
    await bench.db.run(sql`UPDATE api_keys SET expires_at = 1 WHERE id = ${id}`);
    assert.equal((await client.get('/balance')).status, 401, 'after the grace period it is refused');
  });

  serviceTest('regenerating without a grace period ends the old key at once', async (bench) => {
    const { client } = bench;
    const visitor = await openVisitor(bench);
    const id = await firstKeyId(bench);
    await visitor.submit(`/keys/${id}/regenerate`, `/keys/${id}/regenerate`, { grace: 'none' });
    assert.equal((await client.get('/balance')).status, 401);
  });

  serviceTest('an account has at most 20 live keys, also when they are asked for at once', async (bench) => {
    const { service, account } = bench;
    const visitor = await openVisitor(bench);
    const pages = await Promise.all(Array.from({ length: 25 }, () => visitor.get('/keys')));
    const seen = await Promise.all(
      pages.map(({ text }) => visitor.send('POST', '/keys', { ...hiddenFields(text), name: 'many' })),
    );
    assert.equal((await service.accounts.keys(account)).length, 20);
    const refused = seen.filter(({ status }) => status === 422);
    assert.equal(refused.length, 6);
    assert.match(refused[0]!.text, /as many live keys as it may have/);
  });

  serviceTest('a key of another account can be neither seen nor ended', async (bench) => {
    const { service } = bench;
    const visitor = await openVisitor(bench);
    const other = await service.accounts.createAccount({ name: `other ${Math.random()}`, price: 1 as never });
    const { id } = await service.accounts.createKey({ account: other.id, name: 'secret name' });
    for (const verb of ['revoke', 'regenerate']) {
      const seen = await visitor.get(`/keys/${id}/${verb}`);
      assert.ok(seen.status === 422 && !seen.text.includes('secret name'));
      await visitor.submit('/keys', `/keys/${id}/${verb}`, { grace: 'none' });
    }
    assert.equal((await service.accounts.keys(other.name))[0]!.revokedAt, null);
  });

  serviceTest('show their last use and their remaining requests', async (bench) => {
    const { client } = bench;
    await client.get('/balance');
    const visitor = await openVisitor(bench);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { text } = await visitor.get('/keys');
    assert.match(text, /data-name="Last used"><span><time/);
    assert.match(text, /999,999 this minute<.*999,999 this hour<.*999,999 today</);
  });

  serviceTest('an expiry that was chosen ends the key, and the API shows it', async (bench) => {
    const { client } = bench;
    const visitor = await openVisitor(bench);
    await visitor.submit('/keys', '/keys', { name: 'for a month', expiry: '30' });
    const key = new TestClient(client.baseUrl, shownKey((await visitor.get('/keys/created')).text));
    const { body } = await key.get<{ api_key: { expires_at: string } }>('/me');
    const days = (Date.parse(body.data.api_key.expires_at) - Date.now()) / 86_400_000;
    assert.ok(days > 29.9 && days <= 30, String(days));
    await bench.db.run(sql`UPDATE api_keys SET expires_at = 1 WHERE name = 'for a month'`);
    assert.equal((await key.get('/me')).status, 401);
  });
});

describe('passwords', () => {
  const NEXT = 'correct horse battery';

  serviceTest('can be changed with the current one; other sessions end', async (bench) => {
    const { service, account } = bench;
    const password = await service.accounts.resetPassword(account);
    const [here, there] = [new Visitor(bench), new Visitor(bench)];
    for (const each of [here, there]) await each.signIn(account, password);
    const change = (form: Record<string, string>) => here.submit('/account', '/account/password', form);
    const wrong = await change({ current: 'wrong', next: NEXT, repeat: NEXT });
    assert.ok(wrong.status === 422 && wrong.text.includes('current password is wrong'));
    assert.equal((await change({ current: password, next: 'short', repeat: 'short' })).status, 422);
    assert.equal((await change({ current: password, next: NEXT, repeat: 'other' })).status, 422);
    assert.equal((await change({ current: password, next: NEXT, repeat: NEXT })).location, '/account?done=password');
    assert.match((await here.get('/account')).text, /<h1>Account<\/h1>/);
    assert.match((await there.get('/account')).text, /<h1>Sign in<\/h1>/);
    assert.equal((await there.signIn(account, password)).status, 401);
    assert.equal((await there.signIn(account, NEXT)).status, 303);
  });

  serviceTest('cannot be guessed with a stolen session', async (bench) => {
    const visitor = await openVisitor(bench);
    const attempt = () =>
      visitor.submit('/account', '/account/password', { current: 'wrong', next: NEXT, repeat: NEXT });
    for (let index = 0; index < 10; index++) assert.equal((await attempt()).status, 422);
    const refused = await attempt();
    assert.equal(refused.status, 429);
    assert.match(refused.text, /Too many attempts\. Nothing was changed/);
  });

  serviceTest('can be set with a reset link, which works once and ends every session', async (bench) => {
    const { service, account } = bench;
    const before = await openVisitor(bench);
    const token = await service.accounts.createReset(account);
    const visitor = new Visitor(bench);
    assert.match((await visitor.get(`/reset/${token}`)).text, new RegExp(`password of the account “${account}”`));
    const set = () => visitor.send('POST', `/reset/${token}`, { next: NEXT, repeat: NEXT });
    assert.equal((await set()).status, 200);
    assert.equal((await set()).status, 422);
    assert.equal((await visitor.get(`/reset/${token}`)).status, 404);
    assert.match((await before.get('/')).text, /<h1>Sign in<\/h1>/);
    assert.equal((await visitor.signIn(account, NEXT)).status, 303);
  });
});

test('every page sends the content security policy and is not stored by caches', async (t) => {
  const bench = await openService(t, 'sqlite');
  const visitor = await openVisitor(bench);
  for (const path of [
    '/',
    '/submissions',
    '/index-checks',
    '/entries',
    '/keys',
    '/account',
    '/contract',
    '/keys/created',
  ]) {
    const { status, headers, text } = await visitor.get(path);
    assert.equal(status, 200, path);
    assert.match(
      headers.get('content-security-policy')!,
      /^default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'/,
    );
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(text, /<script(?! src="\/copy\.js" defer><\/script>)|style=|\son\w+=/, path);
  }
  assert.equal((await fetch(`${getRoot(bench)}favicon.ico`)).status, 204);
});

test('an address that does not exist is a page for a browser and an error of the API for a program', async (t) => {
  const bench = await openService(t, 'sqlite');
  const visitor = new Visitor(bench);
  const page = await visitor.get('/nowhere', { accept: 'text/html,*/*' });
  assert.equal(page.status, 404);
  assert.match(page.text, /<h1>Page not found<\/h1>/);
  assert.match(page.headers.get('content-security-policy')!, /style-src 'self'/);
  for (const [path, accept] of [
    ['/nowhere', 'application/json'],
    ['/api/v1/nowhere', 'text/html'],
  ] as const) {
    const { status, text } = await visitor.get(path, { accept });
    assert.deepEqual([status, (JSON.parse(text) as { success: boolean }).success], [404, false]);
  }
});

test('the log has sign-ins and changes of keys and passwords with the address, and no secret', async (t) => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const bench = await openService(t, 'sqlite', { logger: { level: 'info', stream } });
  const visitor = await openVisitor(bench);
  await new Visitor(bench).signIn(bench.account, 'wrong password');
  await visitor.submit('/keys', '/keys', { name: 'logged' });
  const key = shownKey((await visitor.get('/keys/created')).text);
  const id = await firstKeyId(bench);
  await visitor.submit(`/keys/${id}/revoke`, `/keys/${id}/revoke`, {});
  const events = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event !== undefined);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['sign_in.succeeded', 'sign_in.failed', 'key.created', 'key.revoked'],
  );
  for (const { address } of events) assert.match(String(address), /127\.0\.0\.1|::1/);
  const log = lines.join('');
  for (const secret of [key, 'wrong password', ...visitor.cookies.values()]) assert.ok(!log.includes(secret));
});
