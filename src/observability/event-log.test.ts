import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import type { Micros } from '../../contract/money.ts';
import type { AccountId, BatchId, Reference, RunId, WatchId } from '../submission/ids.ts';
import { createEventLog } from './event-log.ts';
import type { BatchAnswered, RunEnded } from './worker-events.ts';

const account = 'main' as AccountId;
const watch = 'shop' as WatchId;
const run = 'watch/shop/1' as RunId;

function openLog() {
  let time = 0;
  const lines: { level: number; msg: string; [field: string]: unknown }[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number]);
      done();
    },
  });
  const emit = createEventLog(pino({ level: 'info' }, stream), () => time);
  const request = (unavailable: string | null) =>
    emit({ kind: 'request', account, endpoint: 'submit', status: null, tookMs: 5, unavailable });
  return { emit, lines, request, pass: (ms: number) => (time += ms) };
}

const batch: BatchAnswered = {
  kind: 'batch',
  account,
  watch,
  batch: 7 as BatchId,
  service: 'standard',
  outcome: 'is accepted as sub_1',
  urls: 3,
  accepted: 'now',
  charged: 750_000 as Micros,
  reference: 'sub_1' as Reference,
  requestId: 'req_1',
  reason: null,
};

const ended: RunEnded = {
  kind: 'run_ended',
  account,
  watch,
  run,
  complete: true,
  found: 10,
  new: 3,
  changed: 0,
  gone: 0,
  submitted: 3,
  held: 0,
  heldReason: null,
  unanswered: 0,
  charged: 750_000 as Micros,
};

describe('the log of a worker', () => {
  test('a run that ends is one line with its watch, run, counts and money', () => {
    const { emit, lines } = openLog();
    emit({ kind: 'crawl', account, watch, run, urls: 10, sitemaps: 1, complete: true, problems: [], tookMs: 40 });
    emit(ended);
    assert.equal(lines.length, 1);
    const [line] = lines;
    assert.deepEqual([line?.watch, line?.run, line?.level], [watch, run, 30]);
    assert.match(line?.msg ?? '', /10 found, 3 new, .* 3 submitted, 0\.75 TRY charged/);
  });

  test('an incomplete run and one whose URLs are kept back are warnings with the reason', () => {
    const { emit, lines } = openLog();
    const problems = ['https://shop.example/a.xml: status 404'];
    emit({ kind: 'crawl', account, watch, run, urls: 0, sitemaps: 1, complete: false, problems, tookMs: 40 });
    emit({ ...ended, complete: false });
    emit({ ...ended, held: 4, heldReason: 'the cap of the day is reached' });
    assert.deepEqual(
      lines.map(({ level }) => level),
      [40, 40],
    );
    assert.match(
      lines[0]?.msg ?? '',
      /incomplete: .* not all sitemaps were read: https:\/\/shop\.example\/a\.xml: status 404/,
    );
    assert.match(lines[1]?.msg ?? '', /4 URLs are kept back: the cap of the day is reached/);
  });

  test('a held run names the commands that decide', () => {
    const { emit, lines } = openLog();
    emit({ kind: 'run_held', account, watch, run, reasons: ['9 new URLs, 5 are allowed'] });
    assert.match(lines[0]?.msg ?? '', /9 new URLs, 5 are allowed.*courier approve watch\/shop\/1/);
  });

  test('a batch carries its reference and the request id', () => {
    const { emit, lines } = openLog();
    emit(batch);
    assert.deepEqual([lines[0]?.batch, lines[0]?.reference, lines[0]?.requestId], [7, 'sub_1', 'req_1']);
  });

  test('the end of a job counts the URLs without a result, and warns of them', () => {
    const { emit, lines } = openLog();
    const ended = { kind: 'job_ended', account, watch, reference: 'sub_1' as Reference, state: 'partial' } as const;
    emit({ ...ended, completed: 2, failed: 0, withoutResult: 3 });
    emit({ ...ended, state: 'completed', completed: 5, failed: 0, withoutResult: 0 });
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        [40, 'job sub_1 ended partial: 2 URLs completed, 0 failed, 3 without a result: they count as bought'],
        [30, 'job sub_1 ended completed: 5 URLs completed, 0 failed'],
      ],
    );
  });

  test('an outage is one line and its end another; a single failure is none', () => {
    const { request, lines, pass } = openLog();
    request('connection refused');
    request(null);
    assert.equal(lines.length, 0);
    for (let n = 0; n < 200; n++) {
      request('connection refused');
      pass(60_000);
    }
    assert.equal(lines.length, 1);
    assert.match(lines[0]?.msg ?? '', /unavailable: connection refused/);
    request(null);
    request(null);
    assert.equal(lines.length, 2);
    assert.match(lines[1]?.msg ?? '', /responds again, after 3 h 20 min and 200 failed requests/);
  });

  test('a suspension is one line until the account submits again', () => {
    const { emit, lines, pass } = openLog();
    for (let n = 0; n < 9; n++) {
      emit({ kind: 'suspended', account, reason: 'the balance does not suffice' });
      pass(3_600_000);
    }
    emit(batch);
    assert.deepEqual(
      lines.map(({ msg }) => msg.split(/[:,]/)[0]),
      [
        'account main is suspended',
        'account main is no longer suspended',
        'batch 7 of shop (3 URLs) is accepted as sub_1',
      ],
    );
  });

  test('a rejected key is an error, and one line more when it works again', () => {
    const { emit, lines } = openLog();
    emit({ kind: 'key_rejected', account, reason: 'status 401' });
    emit({ kind: 'key_accepted', account });
    emit({ kind: 'key_accepted', account });
    assert.deepEqual(
      lines.map(({ level }) => level),
      [50, 30],
    );
  });
});
