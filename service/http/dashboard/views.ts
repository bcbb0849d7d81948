import { formatTry } from '../../../contract/money.ts';
import type { Submission, SubmissionDetail, SubmissionList } from '../../../contract/responses.ts';
import type { Entry } from '../../accounts/entries.ts';
import type { ApiKey } from '../../accounts/keys.ts';
import type { Session } from '../../accounts/sign-in.ts';
import { type Html, html, nothing } from './html.ts';
import { page } from './layout.ts';

const time = (value: number | string | null): Html => {
  if (value === null) return html`–`;
  const iso = new Date(value).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
};

const csrfField = ({ csrf }: Session): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;

const signOutForm = (session: Session): Html =>
  html`<form method="post" action="/sign-out">${csrfField(session)}<span>${session.account.name}</span> <button>Sign out</button></form>`;

const notice = (text: string | undefined): Html =>
  text === undefined ? nothing : html`<p class="notice" role="alert">${text}</p>`;

export function signInPage(problem?: string): string {
  return page(
    'Sign in',
    html`${notice(problem)}
<form method="post" action="/sign-in">
<label>Account <input name="account" required autocomplete="username" autofocus></label>
<label>Password <input name="password" type="password" required autocomplete="current-password"></label>
<button>Sign in</button>
</form>`,
    nothing,
  );
}

export function messagePage(title: string, text: string): string {
  return page(title, html`${notice(text)}<p><a href="/">Back to the account</a></p>`, nothing);
}

interface Overview {
  readonly session: Session;
  readonly entries: readonly Entry[];
  readonly list: SubmissionList;
  readonly keys: readonly ApiKey[];
  /** A key that was just made: the only time that it is shown. */
  readonly newKey?: string;
}

export function overviewPage({ session, entries, list, keys, newKey }: Overview): string {
  const { account } = session;
  const created =
    newKey === undefined
      ? nothing
      : html`<div class="notice" role="status"><p>Your new API key. It is shown this once: keep it now.</p><p><code id="new-key">${newKey}</code></p></div>`;
  const content = html`${created}
<section aria-labelledby="balance"><h2 id="balance">Balance</h2>
<p><strong>${formatTry(account.balance)}</strong></p>
<p>Per URL: ${formatTry(account.prices.standard)} standard, ${formatTry(account.prices.fast)} fast.</p>
${entriesTable(entries)}</section>
<section aria-labelledby="submissions"><h2 id="submissions">Submissions</h2>
${submissionsTable(list.submissions)}
${pages('/?page=', list.pagination)}</section>
<section aria-labelledby="keys"><h2 id="keys">API keys</h2>
${keysTable(session, keys)}
<form method="post" action="/keys">${csrfField(session)}<label>Name of a new key <input name="name" required maxlength="80"></label> <button>Create key</button></form>
</section>`;
  return page('Account', content, signOutForm(session));
}

const entriesTable = (entries: readonly Entry[]): Html => html`<table>
<caption>Latest entries</caption>
<thead><tr><th scope="col">Time</th><th scope="col">Kind</th><th scope="col">For</th><th scope="col" class="number">Amount</th><th scope="col" class="number">Balance</th></tr></thead>
<tbody>${entries.map(
  (entry) =>
    html`<tr><td>${time(entry.created_at)}</td><td>${entry.kind.replace('_', '-')}</td><td>${entry.subject}</td><td class="number">${formatTry(entry.amount)}</td><td class="number">${formatTry(entry.balance_after)}</td></tr>`,
)}</tbody></table>`;

const submissionRow = (each: Submission): Html =>
  html`<tr><td><a href="/submissions/${each.reference}">${each.reference}</a></td><td>${each.project}</td><td>${each.service}</td><td>${each.status}</td><td class="number">${each.url_count}</td><td>${time(each.created_at)}</td></tr>`;

const submissionsTable = (submissions: readonly Submission[]): Html => html`<table>
<thead><tr><th scope="col">Reference</th><th scope="col">Project</th><th scope="col">Service</th><th scope="col">State</th><th scope="col" class="number">URLs</th><th scope="col">Accepted</th></tr></thead>
<tbody>${submissions.map(submissionRow)}</tbody></table>`;

function pages(link: string, { page: current, total_pages: last }: SubmissionList['pagination']): Html {
  if (last <= 1) return nothing;
  const to = (number: number, text: string) => html`<a href="${link}${number}">${text}</a> `;
  return html`<nav aria-label="Pages">${current > 1 ? to(current - 1, 'Previous') : nothing}Page ${current} of ${last} ${current < last ? to(current + 1, 'Next') : nothing}</nav>`;
}

function keysTable(session: Session, keys: readonly ApiKey[]): Html {
  const act = (id: string, verb: string, text: string) =>
    html`<form method="post" action="/keys/${id}/${verb}">${csrfField(session)}<button aria-label="${text} ${id}">${text}</button></form> `;
  const row = (key: ApiKey) =>
    html`<tr><td>${key.name}</td><td><code>${key.prefix}…</code></td><td>${time(key.createdAt)}</td><td>${
      key.revokedAt === null
        ? html`${act(key.id, 'regenerate', 'Regenerate')}${act(key.id, 'revoke', 'Revoke')}`
        : html`revoked ${time(key.revokedAt)}`
    }</td></tr>`;
  return html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">Begins with</th><th scope="col">Created</th><th scope="col">State</th></tr></thead>
<tbody>${keys.map(row)}</tbody></table>`;
}

export function submissionPage(session: Session, detail: SubmissionDetail): string {
  const { reference } = detail;
  const content = html`<p><a href="/">Back to the account</a></p>
<p>${detail.project}, ${detail.service}: <strong>${detail.status}</strong>. ${detail.urls_completed} completed, ${detail.urls_failed} failed, ${detail.urls_pending} pending of ${detail.url_count}. Charged ${detail.charged} TRY, refunded ${detail.refunded} TRY.</p>
<p>Accepted ${time(detail.created_at)}, started ${time(detail.started_at)}, ended ${time(detail.finished_at)}.</p>
<table>
<thead><tr><th scope="col">URL</th><th scope="col">State</th><th scope="col">Reason</th></tr></thead>
<tbody>${detail.urls.map(({ url, status, reason }) => html`<tr><td>${url}</td><td>${status}</td><td>${reason ?? ''}</td></tr>`)}</tbody></table>
${pages(`/submissions/${reference}?page=`, detail.url_pagination)}`;
  return page(reference, content, signOutForm(session));
}
