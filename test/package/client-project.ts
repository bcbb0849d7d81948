import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A program of somebody else: what it imports and the types it uses are all that the package promises them. */
const PROGRAM = `import {
  type AccountView, ApiError, createClient, type CreateSubmission, formatTry, type Micros, RequestRefusedError,
  type ServiceView, type StatsView, type SubmissionView,
} from 'sitemap-courier/client';

const { BASE_URL: baseUrl = '', API_KEY: apiKey = '' } = process.env;
const client = createClient({ baseUrl, apiKey, maxWaitMs: 30_000 });
const body: CreateSubmission = { service: 'standard', urls: ['https://shop.example/' + process.version] };
const first = await client.submit(body);
const again = await client.submit(body);
const balance: Micros = await client.getBalance();
const account: AccountView = await client.getAccount();
const stats: StatsView = await client.getStats();
const service: ServiceView = await client.getService();
const { submission, urls } = await client.getSubmission(first.reference);
const record: SubmissionView = submission;
const { submissions } = await client.listSubmissions({ limit: 5 });
const check = await client.checkIndex({ urls: ['https://shop.example/a'] });
let refused: unknown;
try {
  await client.submit({ urls: ['https://shop.example/a', 'https://shop.example/a'] });
} catch (error) {
  refused = error instanceof ApiError && error instanceof RequestRefusedError ? [error.status, error.chargeState] : error;
}
console.log(JSON.stringify({
  same: first.reference === again.reference, replayed: [first.replayed, again.replayed], balance: formatTry(balance),
  price: account.prices.standard, stats: stats.balance === balance, available: service.available, state: record.state,
  urls: urls.length, listed: submissions.length, checked: check.results.length, refused,
}));
await client.close();
`;

const CONFIG = {
  compilerOptions: {
    ...{ target: 'es2023', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true, outDir: 'built' },
    ...{ lib: ['es2023'], types: ['node'], skipLibCheck: true },
  },
  files: ['client.mts'],
};

/** Compiles the program in a project that has the package and nothing of this repository. */
export function compileClient(app: string): void {
  writeFileSync(join(app, 'client.mts'), PROGRAM);
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(CONFIG));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc'], {
    cwd: app,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
}

/** Runs it on `node` against a service of the same package: each URL is paid once. */
export async function tryClient(node: string, app: string): Promise<void> {
  const database = `sqlite:client-${Date.now()}.db`;
  const command = (...args: string[]) => {
    const run = spawnSync(node, ['node_modules/.bin/courier-service', ...args, '--database', database, '--json'], {
      cwd: app,
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stdout + run.stderr);
    return run.stdout;
  };
  command('account', 'create', '--name', 'Ann', '--balance', '10.00', '--price', '0.25');
  const apiKey = /usk_\w{49}/.exec(command('key', 'create', '--account', 'Ann'))?.[0];
  const service = spawn(node, ['node_modules/.bin/courier-service', 'serve', '--port', '0', '--database', database], {
    cwd: app,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const env = { ...process.env, BASE_URL: await findAddress(service), API_KEY: apiKey };
    const run = spawnSync(node, ['built/client.mjs'], { cwd: app, encoding: 'utf8', env });
    assert.equal(run.status, 0, run.stdout + run.stderr);
    assert.deepEqual(JSON.parse(run.stdout), {
      ...{ same: true, replayed: [false, true], balance: '9.75 TRY', price: 250_000, stats: true, available: true },
      ...{ state: 'queued', urls: 1, listed: 1, checked: 1, refused: [422, 'none'] },
    });
  } finally {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
}

async function findAddress({ stdout, stderr }: ChildProcess): Promise<string> {
  const lines: string[] = [];
  for (const stream of [stdout, stderr]) assert.ok(stream !== null);
  return new Promise((resolve, reject) => {
    for (const stream of [stdout, stderr]) {
      if (stream === null) continue;
      createInterface(stream)
        .on('line', (line) => {
          lines.push(line);
          const address = /http:\/\/127\.0\.0\.1:\d+\/api\/v1/.exec(line)?.[0];
          if (address !== undefined) resolve(address);
        })
        .on('close', () => reject(new Error(`the service did not start: ${lines.join('\n')}`)));
    }
  });
}
