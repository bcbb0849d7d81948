import type { HostileAct } from './acts.ts';
import { FILLED } from './request-acts.ts';
import type { Tools } from './tools.ts';

/** What a browser can do. `signIn` returns the cookie of a session of the hostile customer. */
export function makeDashboardActs(root: string, account: { readonly name: string; readonly password: string }) {
  const visit = async (path: string, cookie: string): Promise<string> => {
    const response = await fetch(new URL(path, root), { headers: { cookie } });
    return response.text();
  };

  async function send(password: string): Promise<string> {
    const form = await fetch(root);
    const token = /name="token" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
    const response = await fetch(new URL('/sign-in', root), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: readCookies(form) },
      body: new URLSearchParams({ account: account.name, password, token }),
    });
    await response.arrayBuffer();
    return readCookies(response);
  }

  let session: Promise<string> | undefined;
  const getSession = () => (session ??= send(account.password));

  return {
    'sign-in attempts': ({ onConnections }: Tools) => onConnections(10, () => send('a wrong password')),
    'pages by url': async ({ onConnections }: Tools) => {
      const cookie = await getSession();
      const url = encodeURIComponent('https://shop.example/products/1/1');
      await onConnections(20, () => visit(`/submissions?url=${url}`, cookie));
    },
    downloads: async ({ onConnections }: Tools) => {
      const cookie = await getSession();
      const paths = ['/submissions.csv', '/entries.csv', `/submissions/${FILLED}/urls.csv`, '/'];
      await onConnections(20, (index) => visit(paths[index % paths.length] ?? '/', cookie));
    },
  } satisfies Partial<Record<HostileAct, (tools: Tools) => Promise<void>>>;
}

const readCookies = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
