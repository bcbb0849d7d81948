import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_MS } from '../../accounts/sign-in.ts';

const name = (https: boolean): string => (https ? '__Host-session' : 'session');

/** Cookies of the page: not readable by scripts, never sent from another site. */
export function setSessionCookie(reply: FastifyReply, token: string, https: boolean): void {
  const age = token === '' ? 0 : SESSION_MS / 1_000;
  const secure = https ? '; Secure' : '';
  reply.header('set-cookie', `${name(https)}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`);
}

export function sessionToken({ headers }: FastifyRequest, https: boolean): string | null {
  const wanted = `${name(https)}=`;
  const found = (headers.cookie ?? '').split(/; */).find((cookie) => cookie.startsWith(wanted));
  return found === undefined ? null : found.slice(wanted.length);
}
