import type { Brand } from './brand.ts';
import { csrfField } from './components.ts';
import { LANGUAGES, type Language } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import type { View, Visit } from './view.ts';

/** Content security policy of every page: its own style sheet, script, images and forms, and nothing else. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The sections of the dashboard, in the order of the navigation. */
const SECTIONS = [
  ['overview', '/'],
  ['submissions', '/submissions'],
  ['checks', '/index-checks'],
  ['entries', '/entries'],
  ['keys', '/keys'],
  ['contract', '/contract'],
  ['account', '/account'],
] as const;
export type Section = (typeof SECTIONS)[number][0];

interface Page {
  readonly title: string;
  readonly content: Html;
  readonly section?: Section;
}

/** A page for a signed-in customer. */
export function showPage(visit: Visit, { title, content, section }: Page) {
  const { text, session } = visit;
  const { status, statusReason, name } = session.account;
  const link = ([id, path]: (typeof SECTIONS)[number]) =>
    html`<li><a href="${path}"${id === section ? html` aria-current="page"` : nothing}>${text.nav[id]}</a></li>`;
  const header = html`<form method="post" action="/sign-out">${csrfField(session)}<span class="who">${name}</span> <button>${text.nav.signOut}</button></form>
<nav aria-label="${text.nav.label}"><ul>${SECTIONS.map(link)}</ul></nav>`;
  const suspended =
    status === 'active'
      ? nothing
      : html`<p class="notice bad" role="status">${text.status.suspended(statusReason ?? '')}</p>`;
  return send(visit, document(visit, title, html`${suspended}${content}`, header, 'inside'));
}

/** A page without a session. */
export const showPublicPage = (view: View & Pick<Visit, 'reply'>, { title, content }: Page) =>
  send(view, document(view, title, content, languageLinks(view), 'outside'));

const send = ({ reply }: Pick<Visit, 'reply'>, text: string) => reply.type('text/html; charset=utf-8').send(text);

const languageLinks = ({ language }: View): Html =>
  html`<nav aria-label="Language / Dil"><ul>${(Object.entries(LANGUAGES) as [Language, string][]).map(
    ([id, name]) =>
      html`<li><a href="/?language=${id}" lang="${id}" hreflang="${id}"${id === language ? html` aria-current="true"` : nothing}>${name}</a></li>`,
  )}</ul></nav>`;

type Documented = View & Pick<Visit, 'reply'>;

/** `outside`: a page without a session is one form or one message, in the middle. */
function document(
  { language, text, reply }: Documented,
  title: string,
  content: Html,
  header: Html,
  place: 'inside' | 'outside',
): string {
  const { name, logo } = reply.server.getDecorator<Brand>('brand');
  const product = name ?? text.product;
  const image = logo === null ? nothing : html`<img class="logo" src="/logo" alt=""> `;
  const brand = html`<p class="product">${image}${product}</p>`;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${product}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<script src="/copy.js" defer></script>
</head>
<body class="${place}">
<a class="skip" href="#content">${text.nav.skip}</a>
<header>${place === 'inside' ? brand : nothing}${header}</header>
<main id="content">
${place === 'outside' ? brand : nothing}<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text;
}
