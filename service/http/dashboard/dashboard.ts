import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DatabaseUnavailableError } from '../../../src/database/database.ts';
import { AccountError } from '../../accounts/account.ts';
import { findSession } from '../../accounts/sessions.ts';
import { ApiError } from '../api-error.ts';
import type { Context } from '../context.ts';
import { toApiError } from '../error-mapping.ts';
import { notice } from './components.ts';
import { openCookies } from './cookies.ts';
import { html } from './html.ts';
import { ICON } from './icon.ts';
import { PAGE_POLICY, showPublicPage } from './layout.ts';
import { accountPages } from './pages/account.ts';
import { checkPages } from './pages/checks.ts';
import { contractPage } from './pages/contract.ts';
import { entryPages } from './pages/entries.ts';
import { keyPages } from './pages/keys.ts';
import { overviewPage } from './pages/overview.ts';
import { showSignIn, signInPages } from './pages/sign-in.ts';
import { submissionPages } from './pages/submissions.ts';
import type { Dashboard, SignedInHandler } from './routes.ts';
import { STYLE } from './style.ts';
import { getForm, getOrigin, getView } from './view.ts';

const MAX_FORM_BYTES = 4_096;

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
 * The dashboard at the root. It reads and writes the same records as the API. Plain forms and no script: every change
 * is a POST with the token of its session, and is answered by a redirect, so that a reload repeats nothing.
 */
export function dashboard(app: FastifyInstance, context: Context, getContract: () => object): void {
  const { db, settings, now } = context;
  const cookies = openCookies(settings.https);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.addHook('onRequest', async (request, reply) => {
    reply.header('content-security-policy', PAGE_POLICY);
    const site = request.headers['sec-fetch-site'];
    if (request.method === 'POST' && site !== undefined && site !== 'same-origin') throw new FormError('foreignForm');
  });
  app.setErrorHandler((error, request, reply) => {
    const view = getView(request, cookies);
    const { status, title, sentence, defect } = explain(error, view.text);
    if (defect) app.log.error({ err: error, requestId: request.id }, 'page failed');
    reply.status(status);
    const content = html`${notice(sentence)}<p><a href="/">${view.text.errors.back}</a></p>`;
    return showPublicPage({ ...view, reply }, { title, content });
  });

  /** Hands a request to `handler` when it belongs to a session and, if it is a POST, carries the session's token. */
  function signedIn(handler: SignedInHandler) {
    return async (request: FastifyRequest, reply: Parameters<typeof showSignIn>[1]['reply']) => {
      const token = cookies.get(request, 'session');
      const session = token === null ? null : await findSession(db, token, now());
      const view = getView(request, cookies);
      if (session === null) {
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
      return handler({ ...view, request, reply, session, origin: getOrigin(request) });
    };
  }

  app.get('/style.css', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('text/css; charset=utf-8').send(STYLE),
  );
  app.get('/favicon.svg', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(ICON),
  );
  // Asked for by browsers that know no other icon.
  app.get('/favicon.ico', async (_request, reply) => reply.status(204).send());

  const pages: Dashboard = { app, context, cookies, signedIn };
  signInPages(pages);
  overviewPage(pages);
  submissionPages(pages);
  checkPages(pages);
  entryPages(pages);
  keyPages(pages);
  accountPages(pages);
  contractPage(pages, getContract);
}

interface Explained {
  readonly status: number;
  readonly title: string;
  readonly sentence: string;
  readonly defect: boolean;
}

/** Maps an error to the message on a page. */
function explain(error: unknown, { errors }: ReturnType<typeof getView>['text']): Explained {
  const failed = { title: errors.title, defect: false };
  if (error instanceof FormError) return { ...failed, status: 400, sentence: errors[error.reason] };
  if (error instanceof AccountError) {
    return { ...failed, status: 422, sentence: error.code === undefined ? error.message : errors[error.code] };
  }
  if (error instanceof DatabaseUnavailableError) return { ...failed, status: 503, sentence: errors.unavailable };
  if (error instanceof ApiError) return { ...failed, status: error.statusCode, sentence: error.message };
  const { statusCode } = toApiError(error);
  if (statusCode < 500) return { ...failed, status: statusCode, sentence: errors.badForm };
  return { title: errors.title, defect: true, status: 500, sentence: errors.unexpected };
}

function isSameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
