import type {
  Balance,
  IndexCheckResult,
  Me,
  ServiceInfo,
  Stats,
  Submission,
  SubmissionDetail,
  SubmissionList,
} from './responses.ts';

const submission: Submission = {
  reference: 'sub_01k9x2m4q8r7s6t5v4w3x2y1z0',
  status: 'queued',
  project: 'Shop',
  service: 'standard',
  url_count: 2,
  urls_pending: 2,
  urls_completed: 0,
  urls_failed: 0,
  price_per_url: 0.25,
  charged: 0.5,
  refunded: 0,
  currency: 'TRY',
  created_at: '2026-11-21T09:30:00.000Z',
  started_at: null,
  finished_at: null,
};

const info: ServiceInfo = {
  name: 'Queued URL Submission Service',
  version: 'v1',
  contract_version: '1.0.0',
  available: true,
  openapi: '/api/v1/openapi.json',
};

const balance: Balance = { balance: 99.5, balance_micros: 99_500_000, currency: 'TRY' };

const me: Me = {
  account: { id: 'acc_5d41402abc4b', name: 'shop', created_at: '2026-11-01T08:00:00.000Z' },
  wallet: balance,
  prices: { standard: 0.25, fast: 0.5, index_check: 0.5, currency: 'TRY' },
  api_key: {
    id: 'key_bd50a57c0de19a4f2b',
    name: 'sync server',
    prefix: 'usk_8fQ2mZk',
    created_at: '2026-11-01T08:05:00.000Z',
    expires_at: null,
  },
  default_service: 'standard',
};

const stats: Stats = {
  ...balance,
  submissions: { total: 3, queued: 1, processing: 0, completed: 1, partial: 1, failed: 0 },
  urls: { total: 12, pending: 2, completed: 9, failed: 1 },
  spending: { submissions: 3, index_checks: 1, total: 4, currency: 'TRY' },
  index_checks: { total: 1, urls: 2, found: 1 },
};

const list: SubmissionList = {
  submissions: [submission],
  pagination: { page: 1, limit: 20, total: 1, total_pages: 1 },
};

const detail: SubmissionDetail = {
  ...submission,
  status: 'partial',
  urls_pending: 0,
  urls_completed: 1,
  urls_failed: 1,
  started_at: '2026-11-21T10:30:00.000Z',
  finished_at: '2026-11-21T12:30:00.000Z',
  urls: [
    {
      position: 0,
      url: 'https://shop.example/a',
      status: 'completed',
      reason: null,
      updated_at: '2026-11-21T12:29:00.000Z',
    },
    {
      position: 1,
      url: 'https://shop.example/b',
      status: 'failed',
      reason: 'IndexNow: the request has an invalid form',
      updated_at: '2026-11-21T12:30:00.000Z',
    },
  ],
  url_pagination: { page: 1, limit: 100, total: 2, total_pages: 1 },
};

const check: IndexCheckResult = {
  id: 'chk_9b1deb4d3b7d4bad9bdd2b0d',
  checked_at: '2026-11-21T09:31:02.000Z',
  url_count: 3,
  found_count: 1,
  unknown_count: 1,
  price_per_url: 0.5,
  charged: 1,
  currency: 'TRY',
  results: [
    { url: 'https://shop.example/a', status: 'found', found: true, position: 3, reason: null },
    { url: 'https://shop.example/b', status: 'not_found', found: false, position: null, reason: null },
    {
      url: 'https://shop.example/c',
      status: 'unknown',
      found: null,
      position: null,
      reason: 'the search API did not answer in time',
    },
  ],
};

/** `data` of the answers that succeed, by operation and status. */
export const RESPONSE_EXAMPLES: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  getServiceInfo: { 200: info },
  getMe: { 200: me },
  getBalance: { 200: balance },
  getStats: { 200: stats },
  listSubmissions: { 200: list },
  createSubmission: { 200: submission, 202: submission },
  getSubmission: { 200: detail },
  checkIndex: { 200: check },
};
