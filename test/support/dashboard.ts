import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Bench } from './service.ts';

export const CHROMIUM = [
  process.env.COURIER_TEST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
export const skipWithoutChromium =
  CHROMIUM === undefined ? 'no Chromium found: install one or name it in COURIER_TEST_CHROMIUM' : false;

export const getRoot = ({ service }: Bench): string => new URL('/', service.baseUrl).href;

/** A page as a test sees it. */
export interface Seen {
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser without a window: keeps cookies, follows nothing by itself. */
export class Visitor {
  readonly #root: string;
  readonly cookies = new Map<string, string>();

  constructor(bench: Bench) {
    this.#root = getRoot(bench);
  }

  async send(method: string, path: string, form?: Record<string, string>, headers: Record<string, string> = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, this.#root), {
      method,
      redirect: 'manual',
      headers: { cookie, ...headers },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]!.split('=');
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const { status } = response;
    const location = response.headers.get('location');
    return { status, location, headers: response.headers, text: await response.text() } satisfies Seen;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    return this.send('GET', path, undefined, headers);
  }

  /** Sends a form with the hidden fields of the page that it stands on. */
  async submit(page: string, action: string, form: Record<string, string>): Promise<Seen> {
    return this.send('POST', action, { ...hiddenFields((await this.get(page)).text), ...form });
  }

  async signIn(account: string, password: string): Promise<Seen> {
    return this.submit('/', '/sign-in', { account, password });
  }
}

export const hiddenFields = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  );

/** A visitor with a session of the test account. */
export async function openVisitor(bench: Bench): Promise<Visitor> {
  const password = await bench.service.accounts.resetPassword(bench.account);
  const visitor = new Visitor(bench);
  assert.equal((await visitor.signIn(bench.account, password)).status, 303);
  return visitor;
}

/** The key that a page shows. */
export const shownKey = (text: string): string => /id="new-key"[^>]*>([^<]+)</.exec(text)?.[1] ?? '';

export const firstKeyId = async ({ service, account }: Bench): Promise<string> =>
  (await service.accounts.keys(account))[0]!.id;
