import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SubmissionDetail, SubmissionView } from '../../api-client/read/submission.ts';
import { createStatusMapping } from '../../submission/status-map.ts';
import { proposeJobWord, proposeUrlWords } from './propose-words.ts';

const statuses = createStatusMapping();

/** A job whose URLs have these words: `{ eklendi: 2, failed: 1 }`. */
function toDetail(words: Readonly<Record<string, number>>, job: Partial<SubmissionView> = {}): SubmissionDetail {
  const urls = Object.entries(words).flatMap(([statusName, count]) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ url: `https://a.example/${statusName}/${n}`, statusName, reason: null },
      state: statuses.url(statusName),
    })),
  );
  const nothing = { project: null, createdAt: null, charged: null, pricePerUrl: null, service: null };
  const counts = { urlCount: null, completed: null, failed: null };
  return {
    submission: { reference: 'R' as never, state: null, ...nothing, ...counts, ...job },
    urls,
    page: { last: true, stated: true, total: urls.length, count: urls.length },
    unread: [],
  };
}

const propose = (detail: SubmissionDetail) =>
  Object.fromEntries(proposeUrlWords(detail, statuses).map(({ word, meaning }) => [word, meaning]));

describe('the meaning of words of URLs', () => {
  for (const [what, words, job, meanings] of [
    ['the counts', { eklendi: 2, hata: 1 }, { completed: 2, failed: 1 }, { eklendi: 'completed', hata: 'failed' }],
    ['the counts beside known words', { completed: 2, hata: 3 }, { completed: 2, failed: 3 }, { hata: 'failed' }],
    ['a job that is completed', { eklendi: 4 }, { state: 'completed' }, { eklendi: 'completed' }],
    ['a job that has failed', { hata: 4 }, { state: 'failed' }, { hata: 'failed' }],
    [
      'what is left',
      { eklendi: 2, bekliyor: 3 },
      { completed: 2, failed: 0 },
      { eklendi: 'completed', bekliyor: 'open' },
    ],
    [
      'one count of an ended job',
      { eklendi: 1, hata: 2 },
      { state: 'partial', failed: 2 },
      { eklendi: 'completed', hata: 'failed' },
    ],
  ] as const) {
    test(`follows from ${what}`, () => assert.deepEqual(propose(toDetail(words, job)), meanings));
  }

  for (const [what, words, job] of [
    ['without counts', { eklendi: 2, hata: 1 }, { state: 'partial' }],
    ['with counts that are alike', { eklendi: 2, hata: 2 }, { completed: 2, failed: 2 }],
    ['with counts that no meaning fits', { eklendi: 2, hata: 2 }, { completed: 1, failed: 1 }],
    ['of a page that lacks URLs', { eklendi: 2, hata: 1 }, { urlCount: 9, completed: 2, failed: 1 }],
    ['of an open job with one count', { eklendi: 2, hata: 1 }, { state: 'processing', completed: 2 }],
  ] as const) {
    test(`is not guessed ${what}`, () =>
      assert.deepEqual(propose(toDetail(words, job)), { eklendi: null, hata: null }));
  }
});

describe('the meaning of the word of a job', () => {
  for (const [words, job, meaning] of [
    [{ completed: 3 }, {}, 'completed'],
    [{ failed: 3 }, {}, 'failed'],
    [{ completed: 1, failed: 2 }, {}, 'partial'],
    [{ completed: 1, queued: 2 }, {}, 'processing'],
    [{ eklendi: 3 }, {}, null],
    [{ eklendi: 3 }, { completed: 3, failed: 0 }, 'completed'],
    [{}, {}, null],
    [{}, { urlCount: 4, completed: 3, failed: 1 }, 'partial'],
  ] as const) {
    test(`of ${JSON.stringify(words)} and ${JSON.stringify(job)} is ${meaning}`, () =>
      assert.equal(proposeJobWord(toDetail(words, { state: 'kapandı', ...job }), statuses), meaning));
  }
});
