import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DatabaseUnavailableError } from '../../../src/database/database.ts';
import { AccountError } from '../../accounts/account.ts';
import { findSession } from '../../accounts/sessions.ts';
import { OverloadedError } from '../../capacity/fair-queue.ts';
import { shareDatabase } from '../../capacity/shared-database.ts';
import { ApiError } from '../api-error.ts';
import type { Context } from '../context.ts';
import { toApiError } from '../error-mapping.ts';
import { countByName, takeOrWait } from '../limits/count-by-name.ts';
import type { Brand } from './brand.ts';
import { notice } from './components.ts';
import { openCookies } from './cookies.ts';
import { COPY_SCRIPT } from './copy.ts';
import { html } from './html.ts';
import { ICON } from './icon.ts';
import { PAGE_POLICY, showPublicPage } from './layout.ts';
import { accountPages } from './pages/account.ts';
import { auditPages } from './pages/audit.ts';
import { checkPages } from './pages/checks.ts';
import { contractPage } from './pages/contract.ts';
import { entryPages } from './pages/entries.ts';
import { keyPages } from './pages/keys.ts';
import { overviewPage } from './pages/overview.ts';
import { showSignIn, signInPages } from './pages/sign-in.ts';
import { submissionPages } from './pages/submissions.ts';
import type { Dashboard, SignedInHandler } from './routes.ts';
import { STYLE } from './style.ts';
import { getForm, getOrigin, getView, type View } from './view.ts';

const MAX_FORM_BYTES = 4_096;
const BUSY_RETRY_SECONDS = 2;

/** A form that is rejected; `reason` is a sentence of the dashboard. Nothing was changed. */
class FormError extends Error {
  override readonly name = 'FormError';
  readonly reason: 'foreignForm' | 'staleForm';

  constructor(reason: 'foreignForm' | 'staleForm') {
    super(reason);
    this.reason = reason;
  }
}

/**
 * The dashboard at the root. It reads and writes the same records as the API. Plain forms, which work without the one script: every change
 * is a POST with the token of its session, and is answered by a redirect, so that a reload repeats nothing.
 */
export function dashboard(app: FastifyInstance, context: Context, getContract: () => object): void {
  const { db, queue, load, shares, settings, now } = context;
  const cookies = openCookies(settings.https);
  // As many pages a minute for an account as requests for a key.
  const countPages = countByName(settings.budgets.minute);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.decorateRequest('db');
  app.addHook('onRequest', async (request, reply) => {
    reply.header('content-security-policy', PAGE_POLICY);
    const share = shares.find(cookies.get(request, 'session'), request.ip);
    const leave = load.enter(share);
    if (leave === null) throw new OverloadedError('too many requests at the same time');
    reply.raw.once('close', leave);
    request.db = shareDatabase(db, queue, share);
    const site = request.headers['sec-fetch-site'];
    if (request.method === 'POST' && site !== undefined && site !== 'same-origin') throw new FormError('foreignForm');
  });
  app.setErrorHandler((error, request, reply) => {
    const view = getView(request, cookies);
    const { status, title, sentence, defect, retryAfterSeconds } = explain(error, view);
    if (defect) app.log.error({ err: error, requestId: request.id }, 'page failed');
    reply.status(status);
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    const content = html`${notice(sentence)}<p><a href="/">${view.text.errors.back}</a></p>`;
    return showPublicPage({ ...view, reply }, { title, content });
  });

  /** Hands a request to `handler` when it belongs to a session and, if it is a POST, carries the session's token. */
  function signedIn(handler: SignedInHandler) {
    return async (request: FastifyRequest, reply: Parameters<typeof showSignIn>[1]['reply']) => {
      const token = cookies.get(request, 'session');
      const session = token === null ? null : await findSession(request.db, token, now());
      const view = getView(request, cookies);
      if (token === null || session === null) {
        if (token !== null) shares.forget(token);
        if (request.method !== 'GET') reply.status(403);
        return showSignIn(
          cookies,
          { ...view, request, reply },
          token === null ? {} : { problem: view.text.signIn.ended },
        );
      }
      if (request.method === 'POST' && !isSameText(getForm(request).csrf ?? '', session.csrf)) {
        throw new FormError('staleForm');
      }
      const { id } = session.account;
      const own = shareDatabase(db, queue, shares.remember(token, id));
      const wait = takeOrWait(now(), countPages(String(id)));
      if (wait > 0) throw new ApiError('rate_limited', undefined, { retryAfterSeconds: wait });
      return handler({ ...view, db: own, request, reply, session, origin: getOrigin(request) });
    };
  }

  app.get('/style.css', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('text/css; charset=utf-8').send(STYLE),
  );
  app.get('/copy.js', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('text/javascript; charset=utf-8').send(COPY_SCRIPT),
  );
  const { logo } = app.getDecorator<Brand>('brand');
  if (logo !== null) {
    app.get('/logo', async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').type(logo.type).send(logo.bytes),
    );
  }
  app.get('/favicon.svg', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(ICON),
  );
  // Asked for by browsers that know no other icon.
  app.get('/favicon.ico', async (_request, reply) => reply.status(204).send());

  const pages: Dashboard = {
    ...{ app, context, cookies },
    page: (path, handler) => void app.get(path, signedIn(handler)),
    act: (path, handler) => void app.post(path, signedIn(handler)),
  };
  signInPages(pages);
  overviewPage(pages);
  submissionPages(pages);
  checkPages(pages);
  entryPages(pages);
  auditPages(pages);
  keyPages(pages);
  accountPages(pages);
  contractPage(pages, getContract);
}

interface Explained {
  readonly status: number;
  readonly title: string;
  readonly sentence: string;
  readonly defect: boolean;
  readonly retryAfterSeconds?: number;
}

/** Maps an error to the message on a page. */
function explain(error: unknown, { text: { errors }, format }: View): Explained {
  const failed = { title: errors.title, defect: false };
  if (error instanceof FormError) return { ...failed, status: 400, sentence: errors[error.reason] };
  if (error instanceof AccountError) {
    return { ...failed, status: 422, sentence: error.code === undefined ? error.message : errors[error.code] };
  }
  if (error instanceof DatabaseUnavailableError) return { ...failed, status: 503, sentence: errors.unavailable };
  if (error instanceof OverloadedError) {
    return { ...failed, status: 503, sentence: errors.busy, retryAfterSeconds: BUSY_RETRY_SECONDS };
  }
  if (error instanceof ApiError && error.code === 'rate_limited') {
    const { retryAfterSeconds = 1 } = error;
    return { ...failed, status: 429, sentence: errors.tooMany(format.count(retryAfterSeconds)), retryAfterSeconds };
  }
  if (error instanceof ApiError) return { ...failed, status: error.statusCode, sentence: error.message };
  const { statusCode } = toApiError(error);
  if (statusCode < 500) return { ...failed, status: statusCode, sentence: errors.badForm };
  return { title: errors.title, defect: true, status: 500, sentence: errors.unexpected };
}

function isSameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
