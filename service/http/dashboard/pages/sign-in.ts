import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKnownDevice } from '../../../accounts/devices.ts';
import { endSession } from '../../../accounts/sessions.ts';
import { findReset, PASSWORD_LENGTH, resetByLink, signIn } from '../../../accounts/sign-in.ts';
import { notice } from '../components.ts';
import type { Cookies } from '../cookies.ts';
import { html } from '../html.ts';
import { showPublicPage } from '../layout.ts';
import { type Dashboard, seeOther } from '../routes.ts';
import { signInLimiter } from '../sign-in-limiter.ts';
import { getForm, getOrigin, getParam, getQuery, getView, isLanguage, recordAct, type View } from '../view.ts';

type Public = View & { readonly request: FastifyRequest; readonly reply: FastifyReply };

interface SignInForm {
  readonly problem?: string;
  readonly success?: string;
  readonly account?: string;
}

/** The sign-in form. Its token is also in a cookie, so that another site cannot sign anybody in. */
export function showSignIn(cookies: Cookies, view: Public, { problem, success, account = '' }: SignInForm) {
  const { text, request, reply } = view;
  const token = cookies.get(request, 'sign-in') ?? randomBytes(24).toString('base64url');
  cookies.set(reply, 'sign-in', token);
  const content = html`${notice(problem)}${notice(success, 'good')}
<form class="column" method="post" action="/sign-in">
<input type="hidden" name="token" value="${token}">
<label>${text.signIn.account} <input name="account" value="${account}" required maxlength="120" autocomplete="username"></label>
<label>${text.signIn.password} <input name="password" type="password" required maxlength="200" autocomplete="current-password"></label>
<button class="primary">${text.signIn.button}</button>
</form>
<p class="quiet">${text.signIn.forgot}</p>`;
  return showPublicPage(view, { title: text.signIn.title, content });
}

/** Signing in and out, and the link with which a customer sets a new password. */
export function signInPages({ app, context, cookies, act }: Dashboard): void {
  const { now } = context;
  const secondsToWait = signInLimiter(now);

  app.addHook('onRequest', async (request, reply) => {
    const { language = null } = getQuery(request);
    if (request.method === 'GET' && request.url.startsWith('/?language=') && isLanguage(language)) {
      cookies.set(reply, 'language', language);
      return seeOther(reply, '/');
    }
    return undefined;
  });

  app.post('/sign-in', async (request, reply) => {
    const { account = '', password = '', token = '' } = getForm(request);
    const view = { ...getView(request, cookies), request, reply };
    const { text } = view;
    const { db } = request;
    const name = account.replaceAll('\0', '');
    if (token === '' || token !== cookies.get(request, 'sign-in')) {
      reply.status(403);
      return showSignIn(cookies, view, { problem: text.signIn.stale, account: name });
    }
    const cookie = cookies.get(request, 'device');
    const device = cookie !== null && (await isKnownDevice(db, cookie, name)) ? cookie : null;
    const origin = getOrigin(request);
    const wait = secondsToWait({ account: name, address: origin.address, device });
    if (wait > 0) {
      app.log.warn(
        { event: 'sign_in.limited', account: name.slice(0, 120), ...origin },
        'too many attempts to sign in',
      );
      reply.status(429).header('retry-after', String(wait));
      return showSignIn(cookies, view, { problem: text.signIn.wait(view.format.count(wait)), account: name });
    }
    const opened = await signIn(db, { name, password, knownDevice: device !== null }, origin, now());
    if (opened === null) {
      app.log.warn({ event: 'sign_in.failed', account: name.slice(0, 120), ...origin }, 'sign-in refused');
      reply.status(401);
      return showSignIn(cookies, view, { problem: text.signIn.wrong, account: name });
    }
    app.log.info({ event: 'sign_in.succeeded', account: name, ...origin }, 'signed in');
    cookies.set(reply, 'session', opened.session);
    if (opened.device !== null) cookies.set(reply, 'device', opened.device);
    cookies.clear(reply, 'sign-in');
    return seeOther(reply, '/');
  });

  act('/sign-out', async ({ db, reply, session, origin }) => {
    await db.tx(async (tx) => {
      await endSession(tx, session.account.id, session.id);
      await recordAct(tx, { session, origin }, 'session.ended', now());
    });
    cookies.clear(reply, 'session');
    return seeOther(reply, '/');
  });

  app.get('/reset/:token', async (request, reply) => {
    const view = { ...getView(request, cookies), request, reply };
    const { text } = view;
    const token = getParam(request, 'token');
    const account = await findReset(request.db, token, now());
    if (account === null) {
      reply.status(404);
      return showPublicPage(view, { title: text.reset.goneTitle, content: notice(text.reset.gone) });
    }
    const { min, max } = PASSWORD_LENGTH;
    const content = html`<p>${text.reset.intro(account.name)}</p>
<form class="column" method="post" action="/reset/${token}">
<input name="username" autocomplete="username" value="${account.name}" hidden>
<label>${text.account.next} <input name="next" type="password" required minlength="${min}" maxlength="${max}" autocomplete="new-password"></label>
<label>${text.account.repeat} <input name="repeat" type="password" required minlength="${min}" maxlength="${max}" autocomplete="new-password"></label>
<p class="quiet">${text.account.passwordText(view.format.count(min))}</p>
<button class="primary">${text.reset.button}</button>
</form>`;
    return showPublicPage(view, { title: text.reset.title, content });
  });

  app.post('/reset/:token', async (request, reply) => {
    const { next = '', repeat = '' } = getForm(request);
    const view = { ...getView(request, cookies), request, reply };
    if (next !== repeat) {
      reply.status(422);
      return showPublicPage(view, { title: view.text.reset.title, content: notice(view.text.account.differ) });
    }
    const origin = getOrigin(request);
    const account = await resetByLink(request.db, getParam(request, 'token'), next, origin, now());
    app.log.info({ event: 'password.reset', account, ...origin }, 'password reset by link');
    cookies.clear(reply, 'session');
    return showSignIn(cookies, view, { success: view.text.signIn.reset, account });
  });
}
