/** What the commands of the guides find: a site, a service with an account, Temporal, and a folder of a user. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { startService } from '../../service/serve.ts';
import { root } from '../support/pages.ts';
import { AMPLE } from '../support/service.ts';
import { lira } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

export interface GuideScene {
  readonly env: NodeJS.ProcessEnv;
  /** Creates an empty folder beside the others. */
  createFolder(name: string): string;
  publish(pages: number): void;
  /** Puts what is there in place of what a guide only names. */
  fill(command: string, folder: string): Promise<string>;
}

export async function openGuideScene(t: TestContext): Promise<GuideScene> {
  const home = mkdtempSync(join(tmpdir(), 'courier-guides-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const site = await openSite(t);
  const temporal = await temporalAddress(t);
  const serviceDatabase = `sqlite:${join(home, 'service.db')}`;
  const service = await startService({ database: serviceDatabase, settings: { budgets: AMPLE } });
  t.after(() => service.close());
  const account = await service.accounts.createAccount({ name: 'shop', balance: lira('100'), price: lira('0.25') });
  const { apiKey } = await service.accounts.createKey({ account: account.id });
  writeFileSync(join(home, 'api-key'), apiKey);
  const deployment = `courier-${randomUUID()}`;

  const findReference = async (): Promise<string> => {
    const response = await fetch(`${service.baseUrl}/submissions`, { headers: { authorization: `Bearer ${apiKey}` } });
    return /sub_\w+/.exec(await response.text())?.[0] ?? 'sub_none';
  };
  const findWatch = (folder: string): string =>
    /^watches:\n(?:\s*#.*\n)*\s+"?([^\s":]+)/m.exec(readFileSync(join(folder, 'courier.yaml'), 'utf8'))?.[1] ?? 'none';

  /** The only table of what the guides name and a reader replaces. */
  const listPlaceholders = (
    folder: string,
  ): readonly (readonly [RegExp, string | (() => string | Promise<string>)])[] => [
    [/^(npm run -s courier --|npx courier) /, 'courier '],
    [
      /\bcourier init shop\.example(?! --base-url)/,
      'courier init shop.example --base-url https://indexing.example/api/v1',
    ],
    [/\bcourier init shop\.example/, `courier init ${site.url}/sitemap.xml --allow-private-hosts`],
    [/https:\/\/indexing\.example\/api\/v1/, service.baseUrl],
    [/\bcrawl https:\/\/shop\.example\/sitemap\.xml/, `crawl ${site.url}/sitemap.xml --allow-private-hosts`],
    [/\bwhy URL\b/, `why ${site.url}/page/1`],
    [/--watch shop\b/, () => `--watch ${findWatch(folder)}`],
    [/\bsub_01k…/, findReference],
    [/(--deployment|promote|list) courier\b/, `$1 ${deployment}`],
    [/courier\.a1b2c\.tmprl\.cloud:7233|127\.0\.0\.1:7233/, temporal],
    [/TEMPORAL_NAMESPACE=courier\.a1b2c/, 'TEMPORAL_NAMESPACE=default'],
    [/http:\/\/127\.0\.0\.1:4318/, site.url],
    [/--port 8080/, '--port 0'],
    [/cd \/srv\/courier\b/, `cd ${folder}`],
    [/\/run\/secrets\/courier/, join(home, 'api-key')],
    [/\/backup\/service-/, `${folder}/service-`],
    [/postgres:\/\/…\/restored/, `sqlite:${folder}/service-2026-11-21.db`],
    ...MISSING_PROGRAMS,
  ];

  const bin = join(home, 'bin');
  mkdirSync(bin);
  for (const program of ['courier', 'courier-service']) {
    // What the npm scripts of these names run.
    writeFileSync(join(bin, program), `#!/bin/sh\nexec '${process.execPath}' '${root}bin/${program}.mjs' "$@"\n`);
    chmodSync(join(bin, program), 0o755);
  }
  return {
    env: {
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      NO_COLOR: '1',
      COURIER_API_KEY: apiKey,
      COURIER_SERVICE_DATABASE: serviceDatabase,
      GUIDE_WEBHOOK: `${site.url}/webhook`,
    },
    createFolder(name) {
      mkdirSync(join(home, name));
      return join(home, name);
    },
    publish: site.publish,
    async fill(command, folder) {
      let filled = command;
      for (const [placeholder, value] of listPlaceholders(folder)) {
        if (placeholder.test(filled))
          filled = filled.replace(placeholder, typeof value === 'string' ? value : await value());
      }
      return filled;
    },
  };
}

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined;

/** A reader has them; a machine that runs tests need not. */
const MISSING_PROGRAMS: readonly (readonly [RegExp, string])[] = [
  ...(isInstalled('jq') ? [] : [[/\| jq '.*'$/, '| cat'] as const]),
  ...(isInstalled('sqlite3') ? [] : [[/^sqlite3 .*$/, 'true'] as const]),
];

/** A site whose sitemap grows when `publish` says so. It accepts every POST. */
async function openSite(t: TestContext): Promise<{ readonly url: string; publish(pages: number): void }> {
  let published = 24;
  const server = createServer((request, response) => {
    const page = (n: number) => `<url><loc>http://${request.headers.host}/page/${n}</loc></url>`;
    request.resume();
    if (request.method !== 'POST' && request.url !== '/sitemap.xml') response.statusCode = 404;
    response.setHeader('content-type', 'application/xml');
    response.end(
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${Array.from({ length: published }, (_, n) => page(n + 1)).join('')}</urlset>`,
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, publish: (pages) => (published = pages) };
}
