/** Secrets of a configuration in everything that the program leaves anywhere: none is found, in no encoding. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { startService } from '../../service/serve.ts';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';
import { folderFor, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { findSecrets } from '../support/find-secrets.ts';
import { AMPLE, lira } from '../support/service.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const PAGES = [1, 2, 3];

/** A secret in no form that the masking of key-like texts knows: only what never shows it keeps it out. */
const newSecret = (): string => `canary ${randomBytes(18).toString('hex')}`.replace(' ', '.');

/** What a request brings, written back by a service that means no good: in headers, in text, in the fields of an error. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const received = JSON.stringify(request.headers);
  response.writeHead(request.url?.includes('index-check') ? 500 : 401, {
    'content-type': 'application/json',
    'x-request-id': String(request.headers.authorization),
  });
  const error = { code: request.headers.authorization, details: { headers: request.headers } };
  response.end(JSON.stringify({ success: false, status: 'error', message: `You sent ${received}`, data: null, error }));
}

/** Keeps headers and bodies of what it gets; `respond` writes the response. */
async function openReceiver(t: TestContext, respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const received: { readonly headers: string; readonly body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: JSON.stringify(request.headers), body: await buffer(request) });
    respond(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const acknowledge = (_request: IncomingMessage, response: ServerResponse) => response.end();

/** A folder with three accounts and every kind of secret, its service, its Temporal server and its receivers. */
async function openScene(t: TestContext) {
  const service = await startService({
    database: emptyDatabaseUrl(t, 'sqlite'),
    settings: { budgets: AMPLE },
    simulated: { fastMs: 500, standardMs: 500 },
  });
  t.after(() => service.close());
  const createKey = async (name: string) => {
    const { id } = await service.accounts.createAccount({ name, balance: lira('100'), price: lira('0.25') });
    return service.accounts.createKey({ account: id });
  };
  const [byEnvironment, byFile] = [await createKey('main'), await createKey('second')];
  const [hook, traces] = [await openReceiver(t, acknowledge), await openReceiver(t, acknowledge)];
  const hostile = await openReceiver(t, echo);
  const secrets = {
    'key of the environment': byEnvironment.apiKey,
    'key of the file': byFile.apiKey,
    'key of the hostile service': newSecret(),
    'header of a sitemap': newSecret(),
    'token of a webhook address': newSecret(),
    'secret of a webhook': newSecret(),
    'token of a failing webhook': newSecret(),
    'password of the mail server': newSecret(),
    'token of a ping': newSecret(),
  };
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main:
    base_url: "${service.baseUrl}"
    api_key: { env: CANARY_KEY }
    tracking: { fast: { first: 1s, min: 1s, max: 1s } }
  second: { base_url: "${service.baseUrl}", api_key: { file: key } }
  hostile: { base_url: "${hostile.url}/api/v1", api_key: { env: CANARY_HOSTILE_KEY } }
defaults: { service: fast, first_run: submit }
watches:
  shop:
    account: main
    sitemaps: [sitemap.xml]
    hosts: [shop.example]
    guard: { max_new: 5 }
    ping: { env: CANARY_PING }
    index_check: { after: 0s, every: 7d }
  blog: { account: second, sitemaps: [sitemap.xml], hosts: [shop.example] }
  echo: { account: hostile, sitemaps: [sitemap.xml], hosts: [shop.example] }
  staging:
    account: main
    sitemaps: ["${hostile.url}/sitemap.xml"]
    hosts: [shop.example]
    headers: { authorization: { env: CANARY_HEADER } }
    allow_private_hosts: [127.0.0.1]
notify:
  channels:
    hook: { webhook: { url: { env: CANARY_HOOK }, secret: { env: CANARY_HOOK_SECRET } } }
    failing: { webhook: { url: { env: CANARY_FAILING_HOOK } } }
    mail: { email: { server: { env: CANARY_MAIL }, from: courier@shop.example, to: [ops@shop.example] } }
  ping: { env: CANARY_PING }
admin: { port: 0 }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  writeFileSync(join(folder, 'key'), byFile.apiKey);
  publish(folder, PAGES);
  const temporal = await startDevServer({
    binary: await findTemporalBinary(() => undefined),
    file: join(folder, 'temporal.db'),
    logFile: join(folder, 'temporal.log'),
    headless: true,
  });
  t.after(() => temporal.stop());
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    TEMPORAL_ADDRESS: temporal.address,
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    CANARY_KEY: secrets['key of the environment'],
    CANARY_HOSTILE_KEY: secrets['key of the hostile service'],
    CANARY_HEADER: `Bearer ${secrets['header of a sitemap']}`,
    CANARY_HOOK: `${hook.url}/${secrets['token of a webhook address']}`,
    CANARY_HOOK_SECRET: secrets['secret of a webhook'],
    CANARY_FAILING_HOOK: `${hostile.url}/${secrets['token of a failing webhook']}`,
    CANARY_MAIL: `smtp://courier:${secrets['password of the mail server']}@127.0.0.1:9`,
    CANARY_PING: `${hostile.url}/${secrets['token of a ping']}`,
  };
  const revokeFileKey = () => service.accounts.revokeKey(byFile.id);
  return { folder, env, secrets, temporal, hook, traces, revokeFileKey };
}

/** Everything that was shown or sent, by where. */
class Evidence {
  readonly pieces = new Map<string, Buffer>();

  add(where: string, what: Buffer | string): void {
    this.pieces.set(where, Buffer.concat([this.pieces.get(where) ?? Buffer.alloc(0), Buffer.from(what)]));
  }

  /** `but`: a place that must hold a secret. */
  addFiles(folder: string, but: readonly string[]): void {
    for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ))
      if (!but.includes(name)) this.add(`file ${name}`, readFileSync(join(parentPath, name)));
  }

  assertHoldsNone(secrets: Readonly<Record<string, string>>): void {
    const leaks = [...this.pieces].flatMap(([where, bytes]) =>
      findSecrets(bytes, secrets).map((leak) => `${where}: ${leak}`),
    );
    assert.deepEqual(leaks, []);
  }
}

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts `courier ARGS` and keeps what it prints on either stream. */
function startKept(evidence: Evidence, place: Place, args: readonly string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    ...place,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      seen.text += chunk;
      evidence.add(`courier ${args.join(' ')}`, chunk);
    });
  const closed = once(child, 'close') as Promise<[number | null]>;
  return { child, seen, closed };
}

/** Runs `courier ARGS` to its end; it must exit with one of `codes`. Returns what it printed. */
async function play(evidence: Evidence, place: Place, args: string, codes: readonly number[] = [0]): Promise<string> {
  const { seen, closed } = startKept(evidence, place, args.split(' '));
  const [code] = await closed;
  assert.ok(codes.includes(code ?? -1), `courier ${args} exited with ${code}\n${seen.text}`);
  return seen.text;
}

async function until(what: string, holds: () => boolean, seconds = 90): Promise<void> {
  const startedAt = performance.now();
  while (!holds()) {
    assert.ok(performance.now() - startedAt < seconds * 1_000, `${what}: not within ${seconds} s`);
    await pause(100);
  }
}

/** A worker that logs everything. Once the file `crash` exists, its next request with a key throws in the event loop. */
async function startWorker(t: TestContext, evidence: Evidence, { cwd, env }: Place) {
  const hook = join(cwd, 'hook.mjs');
  writeFileSync(
    hook,
    `import { subscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
subscribe('undici:request:create', ({ request }) => {
  if (existsSync(${JSON.stringify(join(cwd, 'crash'))}) && /authorization/i.test(String(request.headers)))
    throw new Error('fault of the test');
});
`,
  );
  const options = `--import=${hook}`;
  const place = { cwd, env: { ...env, NODE_OPTIONS: options } };
  const worker = startKept(evidence, place, ['--verbose', '--json', 'worker']);
  t.after(() => stop(worker.child));
  await until('the worker is ready', () => worker.seen.text.includes('"ready"') || worker.child.exitCode !== null);
  const [, url] = /Metrics and health: (\S+)\/metrics/.exec(worker.seen.text) ?? assert.fail(worker.seen.text);
  return { ...worker, url: url! };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Every history as JSON, and once more with its payloads decoded. */
async function addHistories(evidence: Evidence, address: string): Promise<number> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  let histories = 0;
  for await (const { workflowId, runId } of client.workflow.list()) {
    const json = historyToJSON(await client.workflow.getHandle(workflowId, runId).fetchHistory());
    evidence.add('histories', json);
    JSON.parse(json, (key, value: unknown) => {
      if (key === 'data' && typeof value === 'string') evidence.add('payloads', Buffer.from(value, 'base64'));
      return value;
    });
    histories += 1;
  }
  await connection.close();
  return histories;
}

describe('secrets of a configuration', () => {
  test('are in no output, log, history, database, report, metric, message, trace or crash', async (t) => {
    const { folder, env, secrets, temporal, hook, traces, revokeFileKey } = await openScene(t);
    const evidence = new Evidence();
    const place = { cwd: folder, env };
    const courier = (args: string, ...codes: number[]) => play(evidence, place, args, codes.length === 0 ? [0] : codes);
    const both = async (args: string, ...codes: number[]) => {
      await courier(args, ...codes);
      await courier(`--json --verbose ${args}`, ...codes);
    };
    await courier('validate');
    await both('config show');
    await courier('plan shop');
    await courier('--verbose run --once staging', 3);

    const worker = await startWorker(t, evidence, place);
    await courier('--verbose run shop');
    await courier('--json run blog');
    publish(
      folder,
      Array.from({ length: 12 }, (_, n) => n + 1),
    );
    const held = await courier('run shop', 8);
    const [, run = ''] = /courier approve ([\w/-]+)/.exec(held) ?? assert.fail(held);
    await courier(`approve ${run}`);
    await courier('--verbose index-check', 0, 3);
    const refused = await courier('--verbose --json run echo', 3, 5, 6);
    assert.match(refused, /You sent/, 'what the hostile service says is shown');
    await revokeFileKey();
    await courier('--verbose run blog', 6);
    await courier('--verbose doctor', 6);
    await both('status', 0, 3);
    await courier('report');
    await courier('why https://shop.example/1');
    await courier('spend');
    await courier('--json batches list');
    await courier('--json submissions list');
    await courier('notify test', 3, 5);
    for (const path of ['metrics', 'healthz', 'readyz']) {
      const text = await (await fetch(`${worker.url}/${path}`)).text();
      assert.notEqual(text, '');
      evidence.add(path, text);
    }
    await until('the worker reports the refused key', () =>
      hook.received.some(({ body }) => body.includes('key_rejected')),
    );
    await until('spans arrive', () => traces.received.length > 0);
    assert.ok((await addHistories(evidence, temporal.address)) > 4);

    publish(
      folder,
      Array.from({ length: 13 }, (_, n) => n + 1),
    );
    writeFileSync(join(folder, 'crash'), '');
    const last = startKept(evidence, place, ['run', 'shop']);
    const [code] = await worker.closed;
    last.child.kill('SIGKILL');
    await last.closed;
    assert.ok(code !== 0 && worker.seen.text.includes('fault of the test'), 'the worker crashed with a stack trace');
    await temporal.stop();

    for (const { headers, body } of [...hook.received, ...traces.received])
      evidence.add('messages and traces', Buffer.concat([Buffer.from(headers), body]));
    evidence.addFiles(folder, ['key']);
    for (const file of ['ledger.db', 'temporal.db', 'temporal.log']) assert.ok(evidence.pieces.has(`file ${file}`));
    evidence.assertHoldsNone(secrets);
  });

  test('are in no message about a configuration that holds them by mistake', async (t) => {
    const evidence = new Evidence();
    const key = `usk_${randomBytes(24).toString('hex')}A1`;
    const account = (text: string) =>
      `version: 1\naccounts: { main: { base_url: "https://api.example/v1", ${text} } }\n` +
      'watches: { shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"], hosts: [shop.example] } }\n';
    const mistakes = [
      account(`api_key: ${key}`),
      account(`api_key: { env: ${key} }`),
      account(`api_key: { file: ${key} }`),
      account(`api_key: { value: ${key} }`),
      account(`api_key: { ${key}: env }`),
      account(`api_key: { env: COURIER_API_KEY }, ${key}: true`),
      account(`api_key: { env: COURIER_API_KEY }, tracking: { fast: { first: ${key} } }`),
      `${account('api_key: { env: COURIER_API_KEY }')}notify: { channels: { hook: { webhook: { url: "https://a.example", secret: ${key} } } } }\n`,
      `${account('api_key: { env: COURIER_API_KEY }')}${key}\n`,
      `version: ${key}\n`,
      `{ ${key}\n`,
    ];
    for (const text of mistakes) {
      const folder = folderFor(t, () => text);
      for (const args of ['--json validate', '--verbose config show'])
        await play(evidence, { cwd: folder, env: { ...process.env, COURIER_API_KEY: key } }, args, [0, 2, 5]);
    }
    evidence.assertHoldsNone({ 'pasted key': key });
  });

  test('the password of a Postgres ledger is in no output, whether the ledger can be reached or not', async (t) => {
    const evidence = new Evidence();
    const password = `p@${randomBytes(15).toString('hex')}/w+d`;
    const key = newSecret();
    const servers = ['127.0.0.1:9', ...(process.env.COURIER_TEST_POSTGRES === undefined ? [] : ['test'])];
    for (const server of servers) {
      const url = new URL(server === 'test' ? emptyDatabaseUrl(t, 'postgres') : `postgres://courier@${server}/courier`);
      url.password = encodeURIComponent(password);
      const folder = folderFor(
        t,
        () => `version: 1
accounts: { main: { base_url: "http://127.0.0.1:9/api/v1", api_key: { env: CANARY_KEY } } }
watches: { shop: { account: main, sitemaps: [sitemap.xml], hosts: [shop.example] } }
ledger: { url: "${url.href}" }
`,
      );
      publish(folder, PAGES);
      const place = { cwd: folder, env: { ...process.env, CANARY_KEY: key } };
      for (const args of ['validate', '--json config show', '--verbose doctor', '--verbose status'])
        await play(evidence, place, args, [0, 3, 5]);
    }
    evidence.assertHoldsNone({ password, key });
  });
});

describe('the search for secrets', () => {
  const secret = `p@ss/${'w+rd"'.repeat(8)}`;
  const found = (text: string) => findSecrets(text, { it: secret });

  test('finds one as it is, cut off, and in JSON, base64, hex and URL encoding', () => {
    for (const text of [secret, secret.slice(0, 20), secret.slice(-20)]) {
      assert.deepEqual(found(`key=${text};`).length > 0, true, text);
      assert.ok(found(JSON.stringify({ key: text })).includes('it (JSON)'));
      assert.ok(found(`?key=${encodeURIComponent(text)}`).includes('it (URL)'));
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        for (const before of ['', 'a', 'ab', 'abc'])
          assert.deepEqual(found(Buffer.from(`${before}${text}!`).toString(encoding)), [
            `it (${encoding.replace('url', '')})`,
          ]);
    }
  });

  test('finds nothing in other texts', () => assert.deepEqual(found('p@ss/w+rd key=[secret]'), []));
});
