import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Failure } from '../../contract/envelope.ts';
import { type Micros, parseTry } from '../../contract/money.ts';
import type { Balance, Submission, SubmissionDetail } from '../../contract/responses.ts';
import { type PartialSettings, type Service, type ServiceOptions, startService } from '../../service/serve.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { auditBalances } from './audit-balances.ts';
import { type Dialect, emptyDatabaseUrl, TEST_DIALECTS } from './database.ts';

/** Budgets that no test reaches by accident. */
export const AMPLE: NonNullable<PartialSettings['budgets']> = {
  minute: { limit: 1_000_000, windowMs: 60_000 },
  hour: { limit: 1_000_000, windowMs: 3_600_000 },
  day: { limit: 1_000_000, windowMs: 86_400_000 },
  submissions: { limit: 1_000_000, windowMs: 60_000 },
};

export interface Answer<Data = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly success: boolean;
    readonly status: string;
    readonly message: string;
    readonly data: Data;
    readonly error?: Failure['error'];
    readonly request_id: string;
  };
}

/** A client of one key, as small as can be. */
export class TestClient {
  readonly baseUrl: string;
  readonly key: string;

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl;
    this.key = key;
  }

  async send<Data = unknown>(method: string, path: string, init: RequestInit = {}): Promise<Answer<Data>> {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization') && !headers.has('x-api-key')) headers.set('authorization', `Bearer ${this.key}`);
    const response = await fetch(this.baseUrl + path, { ...init, method, headers });
    const body = (await response.json()) as Answer<Data>['body'];
    return { status: response.status, headers: response.headers, body };
  }

  get<Data = unknown>(path: string, headers: Record<string, string> = {}): Promise<Answer<Data>> {
    return this.send<Data>('GET', path, { headers });
  }

  /** POST of a body as JSON, or of a text as it is. */
  post<Data = Submission>(path: string, key: string, body: unknown, more: Record<string, string> = {}) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key, ...more };
    return this.send<Data>('POST', path, { headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  }

  async balance(): Promise<number> {
    return (await this.get<Balance>('/balance')).body.data.balance;
  }

  async detail(reference: string, query = ''): Promise<SubmissionDetail> {
    return (await this.get<SubmissionDetail>(`/submissions/${reference}${query}`)).body.data;
  }
}

export interface Bench {
  readonly service: Service;
  readonly client: TestClient;
  readonly db: Database;
  readonly url: string;
  readonly account: string;
}

interface Wanted extends Partial<ServiceOptions> {
  readonly balance?: string;
  readonly price?: string;
}

export const lira = (text: string): Micros => parseTry(text)!;

let accounts = 0;

/** A service on a database with one account and one key; gone after the test, its entries audited. */
export async function openService(t: TestContext, dialect: Dialect, wanted: Wanted = {}): Promise<Bench> {
  const { balance = '1000', price = '0.25', settings, ...options } = wanted;
  const url = options.database ?? emptyDatabaseUrl(t, dialect);
  const service = await startService({ ...options, database: url, settings: { budgets: AMPLE, ...settings } });
  t.after(() => service.close());
  const account = `test ${++accounts}`;
  const { id } = await service.accounts.createAccount({ name: account, balance: lira(balance), price: lira(price) });
  const { apiKey } = await service.accounts.createKey({ account: id });
  const db = openDatabase(url);
  t.after(async () => {
    assert.deepEqual(await auditBalances(db), [], 'every balance is the sum of its entries');
    await db.close();
  });
  return { service, client: new TestClient(service.baseUrl, apiKey), db, url, account };
}

/** Declares the same test against a service on each database that is there. */
export function serviceTest(
  name: string,
  body: (bench: Bench, t: TestContext) => Promise<void>,
  wanted: Wanted = {},
): void {
  for (const dialect of TEST_DIALECTS) {
    test(`${name} (${dialect})`, async (t) => body(await openService(t, dialect, wanted), t));
  }
}

export const urlList = (count: number, prefix = 'https://shop.example/p/'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
