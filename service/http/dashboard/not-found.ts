import type { FastifyReply, FastifyRequest } from 'fastify';
import { openCookies } from './cookies.ts';
import { html } from './html.ts';
import { PAGE_POLICY, showPublicPage } from './layout.ts';
import { getView } from './view.ts';

/** The page of an address that does not exist, for a browser. */
export function notFoundPage(https: boolean) {
  const cookies = openCookies(https);
  return (request: FastifyRequest, reply: FastifyReply) => {
    const view = getView(request, cookies);
    const { errors } = view.text;
    reply.status(404).header('content-security-policy', PAGE_POLICY);
    const content = html`<p>${errors.notFoundText}</p><p><a href="/">${errors.back}</a></p>`;
    return showPublicPage({ ...view, reply }, { title: errors.notFound, content });
  };
}
