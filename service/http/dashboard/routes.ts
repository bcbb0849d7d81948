import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import type { Cookies } from './cookies.ts';
import type { Visit } from './view.ts';

export type SignedInHandler = (visit: Visit) => Promise<unknown>;

/** The dependencies of the pages. */
export interface Dashboard {
  readonly app: FastifyInstance;
  /** Without the database: pages use it through the fair queue, as their visit has it. */
  readonly context: Omit<Context, 'db' | 'queue'>;
  readonly cookies: Cookies;
  /** Answers GET of a path for a session; without one, the response is the sign-in form. */
  page(path: string, handler: SignedInHandler): void;
  /** Answers POST of a path: a form that carries the token of its session. */
  act(path: string, handler: SignedInHandler): void;
}

/** The response to a POST that changed something: a redirect, so that a reload repeats nothing. */
export const seeOther = (reply: FastifyReply, path: string) => reply.redirect(path, 303);

/** A file to download. */
export const sendCsv = (reply: FastifyReply, name: string, text: string) =>
  reply
    .header('content-disposition', `attachment; filename="${name.replaceAll(/[^A-Za-z0-9._-]/g, '-')}.csv"`)
    .type('text/csv; charset=utf-8')
    .send(text);
