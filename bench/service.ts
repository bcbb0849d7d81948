/**
 * `npm run bench:service -- --rounds 3 --submissions 1000 --only holds`: the service beside what it is made of, in the same run, so that
 * the ratios hold on any machine. Medians of the rounds; what misses its target is marked.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { driverAlone } from './service/driver.ts';
import { load, type Measured, type Server, start } from './service/load.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    submissions: { type: 'string', default: '1000' },
    only: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const submissions = Number(values.submissions);
const folder = mkdtempSync(join(tmpdir(), 'courier-bench-'));
const LARGE = 5_000;

const urls = (count: number, round: string): string[] =>
  Array.from(
    { length: count },
    (_, index) => `https://shop.example/products/category-${index % 50}/${round}-item-number-${index}`,
  );
const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const misses: string[] = [];

function report(
  what: string,
  value: number,
  unit: string,
  target?: { readonly atMost?: number; readonly atLeast?: number },
): void {
  const missed =
    (target?.atMost !== undefined && value > target.atMost) ||
    (target?.atLeast !== undefined && value < target.atLeast);
  const wanted =
    target === undefined
      ? ''
      : target.atMost === undefined
        ? ` (target ≥ ${target.atLeast})`
        : ` (target ≤ ${target.atMost})`;
  if (missed) misses.push(what);
  process.stdout.write(
    `${what.padEnd(66)} ${value.toFixed(2).padStart(9)} ${unit}${wanted}${missed ? '  MISSED' : ''}\n`,
  );
}

interface Subject {
  readonly server: Server;
  readonly origin: URL;
  readonly headers: Record<string, string>;
}

async function serve(name: string, ...more: string[]): Promise<Subject> {
  const server = await start('./served.ts', `sqlite:${join(folder, `${name}.db`)}`, ...more);
  const { baseUrl, key } = JSON.parse(server.line) as { baseUrl: string; key: string };
  return { server, origin: new URL(baseUrl), headers: { authorization: `Bearer ${key}` } };
}

let keys = 0;
const post = (
  { server, origin, headers }: Subject,
  count: number,
  parallel: number,
  list: readonly string[],
): Promise<Measured> => {
  const body = JSON.stringify({ urls: list, service: 'standard' });
  return load(server, origin, count, parallel, [202], () => ({
    path: '/api/v1/submissions',
    method: 'POST',
    body,
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': `bench-key-${++keys}` },
  }));
};

async function balances(): Promise<void> {
  const bare = await start('./bare.ts');
  const subject = await serve('balance');
  const ratios: number[] = [];
  const costs: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const least = await load(bare, new URL(`http://127.0.0.1:${bare.line}`), 5_000, 32, [200], () => ({
      path: '/',
      headers: subject.headers,
    }));
    const ours = await load(subject.server, subject.origin, 5_000, 32, [200], () => ({
      path: '/api/v1/balance',
      headers: subject.headers,
    }));
    if (round === 0) continue;
    ratios.push(ours.cpuMicrosPerRequest / least.cpuMicrosPerRequest);
    costs.push(ours.cpuMicrosPerRequest);
  }
  report('GET /balance, CPU per request', median(costs), 'µs');
  report('GET /balance, CPU beside a bare Node answer', median(ratios), '×', { atMost: 5 });
  bare.child.kill();
  subject.server.child.kill();
}

async function posts(size: number, count: number, parallel: number, atLeast: number): Promise<void> {
  const subject = await serve(`post-${size}`);
  const list = urls(size, 'post');
  const ratios: number[] = [];
  const blocked: number[] = [];
  const processor: number[] = [];
  let last: Measured | undefined;
  await post(subject, Math.ceil(count / 4), parallel, list);
  for (let round = 0; round < rounds; round++) {
    const alone = await driverAlone(join(folder, `driver-${size}-${round}.db`), list, count);
    last = await post(subject, count, parallel, list);
    ratios.push(last.perSecond / alone.perSecond);
    processor.push(alone.cpuMicros / last.cpuMicrosPerRequest);
    blocked.push(last.blockedMs);
  }
  report(`POST of ${size} URLs, accepted a second`, last!.perSecond, '/s');
  report(`POST of ${size} URLs, beside the driver alone`, median(ratios), '×', { atLeast });
  report(`POST of ${size} URLs, CPU`, last!.cpuMicrosPerRequest / 1_000, 'ms');
  report(`POST of ${size} URLs, CPU of the driver alone beside it`, median(processor), '×');
  if (size === LARGE) report(`POST of ${size} URLs, event loop held at most`, median(blocked), 'ms', { atMost: 25 });
  subject.server.child.kill();
}

/** How long one submission keeps the others waiting, in CPU, so that it holds on a busy machine too. */
async function holds(): Promise<void> {
  for (const [what, length, atMost] of [
    [`${LARGE} URLs`, 0, 25],
    [`${LARGE} URLs of 2,048 characters`, 2_048, 50],
  ] as const) {
    const subject = await serve(`hold-${length}`, 'turns');
    const list = urls(LARGE, 'hold').map((url) => url.padEnd(length, 'x'));
    await post(subject, 3, 1, list);
    const turns: number[] = [];
    for (let round = 0; round < rounds; round++) turns.push((await post(subject, 5, 1, list)).turnMs);
    report(`POST of ${what}, longest turn of the event loop, CPU`, median(turns), 'ms', { atMost });
    subject.server.child.kill();
  }
}

async function reading(): Promise<void> {
  const subject = await serve('reading');
  for (let done = 0; done < submissions; done += 10)
    await post(subject, Math.min(10, submissions - done), 2, urls(LARGE, `s${done}`));
  const reference = await firstReference(subject);
  const cases: [string, (index: number) => string][] = [
    ['list', (index) => `/api/v1/submissions?page=${1 + (index % 20)}`],
    [
      'list, url filter',
      (index) =>
        `/api/v1/submissions?url=${encodeURIComponent(urls(LARGE, `s${(index % (submissions / 10)) * 10}`)[index % LARGE]!)}`,
    ],
    ['list, status and q', () => '/api/v1/submissions?status=queued&q=submission'],
    ['detail', (index) => `/api/v1/submissions/${reference}?url_page=${1 + (index % 50)}`],
    ['detail of 500 URLs', (index) => `/api/v1/submissions/${reference}?url_limit=500&url_page=${1 + (index % 10)}`],
  ];
  for (const [name, path] of cases) {
    const paths = Array.from({ length: 500 }, (_, index) => path(index));
    const { p99, p50 } = await load(subject.server, subject.origin, 500, 4, [200], (index) => ({
      path: paths[index]!,
      headers: subject.headers,
    }));
    report(`${name} over ${submissions} × ${LARGE} URLs, p50`, p50, 'ms');
    report(`${name} over ${submissions} × ${LARGE} URLs, p99`, p99, 'ms', { atMost: 25 });
  }
  const first = await post(subject, 20, 2, urls(LARGE, 'rss'));
  const second = await post(subject, 40, 2, urls(LARGE, 'rss'));
  report('RSS after all of it', second.rssMb, 'MB', { atMost: 220 });
  report('RSS, growth over the last 40 large POSTs', second.rssMb - first.rssMb, 'MB');
  subject.server.child.kill();
}

async function firstReference({ origin, headers }: Subject): Promise<string> {
  const response = await fetch(new URL('/api/v1/submissions?limit=1', origin), { headers });
  const { data } = (await response.json()) as { data: { submissions: { reference: string }[] } };
  return data.submissions[0]!.reference;
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  balances,
  small: () => posts(1, 1_000, 16, 0.75),
  large: () => posts(LARGE, 40, 2, 0.6),
  holds,
  reading,
};

try {
  for (const [name, measure] of Object.entries(parts)) {
    if (values.only === undefined || values.only === name) await measure();
  }
  process.stdout.write(misses.length === 0 ? 'every target met\n' : `missed: ${misses.join('; ')}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
