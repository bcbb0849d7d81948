import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccountError } from '../../accounts/account.ts';
import { latestEntries } from '../../accounts/entries.ts';
import { createKey, listKeys, regenerateKey, revokeKey } from '../../accounts/keys.ts';
import { findSession, type Session, signIn, signOut } from '../../accounts/sign-in.ts';
import { submissionDetail } from '../../submissions/detail.ts';
import { listSubmissions } from '../../submissions/list.ts';
import { ApiError } from '../api-error.ts';
import type { Context } from '../context.ts';
import { toApiError } from '../error-mapping.ts';
import { attemptLimiter } from './attempts.ts';
import { sessionToken, setSessionCookie } from './cookie.ts';
import { STYLE } from './layout.ts';
import { messagePage, overviewPage, signInPage, submissionPage } from './views.ts';

const ENTRIES = 20;
const URLS_PER_PAGE = 100;
const MAX_FORM_BYTES = 4_096;

type Form = Record<string, string>;
type Handler = (request: FastifyRequest, reply: FastifyReply, session: Session) => Promise<unknown>;

/**
 * The dashboard at the root: sign in, balance and entries, prices, submissions and their URLs, keys. It reads and
 * writes the same records as the API. Plain forms without a script; every change needs the session's own token.
 */
export function dashboard(app: FastifyInstance, { db, settings, now }: Context): void {
  const { https } = settings;
  const mayTry = attemptLimiter(now);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.addHook('onRequest', async (request, reply) => {
    reply.header(
      'content-security-policy',
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    const site = request.headers['sec-fetch-site'];
    if (request.method === 'POST' && site !== undefined && site !== 'same-origin') {
      throw new ApiError('invalid_request', 'A form of another site was refused. Nothing was changed.');
    }
  });
  app.setErrorHandler((error, _request, reply) => {
    const { statusCode, message, cause } = toApiError(error, 0);
    if (statusCode >= 500) app.log.error({ err: cause }, 'page failed');
    return show(reply.status(statusCode), messagePage('That did not work', message));
  });

  /** A page for who is signed in; everybody else gets the form to sign in. */
  function signedIn(handler: Handler) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const token = sessionToken(request, https);
      const session = token === null ? null : await findSession(db, token, now());
      if (session === null) return show(reply.status(request.method === 'GET' ? 200 : 403), signInPage());
      if (request.method === 'POST' && !sameText((request.body as Form | undefined)?.csrf ?? '', session.csrf)) {
        throw new ApiError('invalid_request', 'The form is out of date. Nothing was changed; load the page again.');
      }
      return handler(request, reply, session);
    };
  }

  async function overview(reply: FastifyReply, session: Session, page: number, newKey?: string) {
    const { id } = session.account;
    const [entries, list, keys] = await Promise.all([
      latestEntries(db, id, ENTRIES),
      listSubmissions(db, id, { page }),
      listKeys(db, id),
    ]);
    return show(reply, overviewPage({ session, entries, list, keys, ...(newKey === undefined ? {} : { newKey }) }));
  }

  app.get('/style.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE));

  app.get(
    '/',
    signedIn((request, reply, session) => overview(reply, session, getPage(request))),
  );

  app.get(
    '/submissions/:reference',
    signedIn(async (request, reply, session) => {
      const { reference } = request.params as { reference: string };
      const query = { url_page: getPage(request), url_limit: URLS_PER_PAGE };
      const detail = await submissionDetail(db, session.account.id, reference, query);
      if (detail === null) throw new ApiError('submission_not_found');
      return show(reply, submissionPage(session, detail));
    }),
  );

  app.post('/sign-in', async (request, reply) => {
    const { account = '', password = '' } = (request.body ?? {}) as Form;
    if (!mayTry(account)) return show(reply.status(429), signInPage('Too many attempts. Wait a minute and try again.'));
    const token = account.includes('\0') ? null : await signIn(db, account, password, now());
    if (token === null) return show(reply.status(401), signInPage('Account and password do not fit.'));
    setSessionCookie(reply, token, https);
    return reply.redirect('/', 303);
  });

  app.post(
    '/sign-out',
    signedIn(async (request, reply) => {
      await signOut(db, sessionToken(request, https)!);
      setSessionCookie(reply, '', https);
      return reply.redirect('/', 303);
    }),
  );

  app.post(
    '/keys',
    signedIn(async (request, reply, session) => {
      const { name = '' } = request.body as Form;
      if (!/^[^\p{Cc}\p{Cs}]{1,80}$/u.test(name)) throw new AccountError('A key needs a name of 1 to 80 characters.');
      const { apiKey } = await createKey(db, session.account.id, name, now());
      return overview(reply, session, 1, apiKey);
    }),
  );

  app.post(
    '/keys/:id/revoke',
    signedIn(async (request, reply, session) => {
      await revokeKey(db, (request.params as { id: string }).id.replaceAll('\0', ''), now(), session.account.id);
      return reply.redirect('/', 303);
    }),
  );

  app.post(
    '/keys/:id/regenerate',
    signedIn(async (request, reply, session) => {
      const id = (request.params as { id: string }).id.replaceAll('\0', '');
      const { apiKey } = await db.tx((tx) => regenerateKey(tx, id, now(), session.account.id));
      return overview(reply, session, 1, apiKey);
    }),
  );
}

const show = (reply: FastifyReply, text: string) => reply.type('text/html; charset=utf-8').send(text);

function getPage({ query }: FastifyRequest): number {
  const { page } = query as { page?: unknown };
  return typeof page === 'string' && /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1;
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
