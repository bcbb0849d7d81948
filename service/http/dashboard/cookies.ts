import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_MS } from '../../accounts/sessions.ts';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The dashboard's cookies and how long each lasts, in seconds. */
const MAX_AGE = {
  session: SESSION_MS / 1_000,
  /** Marks a browser that signed in to an account, for the limit of attempts. */
  device: YEAR_SECONDS,
  /** Stands in the form to sign in, too: another site cannot know it. */
  'sign-in': 60 * 60,
  /** A new key on its way to the page that shows it once. The service itself never stores it. */
  'new-key': 60,
  language: YEAR_SECONDS,
  zone: YEAR_SECONDS,
} as const;

export type CookieName = keyof typeof MAX_AGE;

export interface Cookies {
  get(request: FastifyRequest, name: CookieName): string | null;
  set(reply: FastifyReply, name: CookieName, value: string): void;
  clear(reply: FastifyReply, name: CookieName): void;
}

/** Cookies that scripts cannot read and that are never sent from another site. Values are URL-encoded. */
export function openCookies(https: boolean): Cookies {
  const [prefix, secure] = https ? ['__Host-', '; Secure'] : ['', ''];
  const write = (reply: FastifyReply, name: CookieName, value: string, maxAge: number) =>
    reply.header(
      'set-cookie',
      `${prefix}${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`,
    );
  return {
    get({ headers }, name) {
      const wanted = `${prefix}${name}=`;
      const found = (headers.cookie ?? '').split(/; */).find((cookie) => cookie.startsWith(wanted));
      if (found === undefined || found.length === wanted.length) return null;
      try {
        return decodeURIComponent(found.slice(wanted.length));
      } catch {
        return null;
      }
    },
    set: (reply, name, value) => void write(reply, name, value, MAX_AGE[name]),
    clear: (reply, name) => void write(reply, name, '', 0),
  };
}
