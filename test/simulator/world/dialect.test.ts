import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetRequest, NetResponse } from '../platform/network.ts';
import { type Dialect, Speaker } from './dialect.ts';

const PLAIN: Dialect = { profile: null, pageLimit: 100, lagMs: 0, copies: false, filtersPages: false };
const NOW = Date.UTC(2026, 2, 10);

interface Answer {
  readonly submissions: readonly { readonly reference: string }[];
  readonly pagination: { readonly page: number; readonly limit: number; readonly total: number };
}

/** Jobs of one minute each, the newest first; `q` finds those with that reference. */
function serve(count: number) {
  return async ({ path }: NetRequest): Promise<NetResponse> => {
    const query = new URL(path, 'https://service.example').searchParams;
    const all = Array.from({ length: count }, (_, n) => ({
      ...{
        reference: `R-${count - n}`,
        status: 'completed',
        project: 'Shop',
        service: 'fast',
        url_count: 1,
        charged: 0.25,
      },
      created_at: new Date(NOW - n * 60_000).toISOString(),
    })).filter(({ reference }) => query.get('q') === null || query.get('q') === reference);
    const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
    const data = { submissions: all.slice((page - 1) * limit, page * limit) };
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ success: true, data })) };
  };
}

async function list(dialect: Partial<Dialect>, query: string, count = 120): Promise<Answer> {
  const speaker = new Speaker({ ...PLAIN, ...dialect }, (agoMs) => NOW - agoMs, 1);
  const request: NetRequest = {
    ...{ origin: 'https://service.example', method: 'GET', headers: {}, body: Buffer.alloc(0) },
    path: `/api/v1/submissions?${query}`,
  };
  const { body } = await speaker.answer(request, serve(count));
  return (JSON.parse(body.toString('utf8')) as { data: Answer }).data;
}

const toReferences = ({ submissions }: Answer) => submissions.map(({ reference }) => reference);

describe('the list of a service in a dialect', () => {
  test('has every job on one of its pages, however short they are', async () => {
    const pages = await Promise.all(
      Array.from({ length: 18 }, (_, n) => list({ pageLimit: 7 }, `page=${n + 1}&limit=100`)),
    );
    assert.equal(new Set(pages.flatMap(toReferences)).size, 120);
    assert.deepEqual(pages[0]!.pagination, { page: 1, limit: 7, total: 120, total_pages: 18 });
  });

  test('does not have a job that is newer than its lag', async () => {
    assert.deepEqual(toReferences(await list({ lagMs: 90_000 }, 'page=1&limit=3')), ['R-118', 'R-117', 'R-116']);
  });

  test('has short pages and empty ones where it filters after it has cut them', async () => {
    const filters = { pageLimit: 5, filtersPages: true };
    assert.deepEqual(toReferences(await list(filters, 'page=1&limit=100&q=R-112')), []);
    assert.deepEqual(toReferences(await list(filters, 'page=2&limit=100&q=R-112')), ['R-112']);
  });
});
