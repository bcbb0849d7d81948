import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Exchange } from '../api-client/transport.ts';
import type { AccountId } from '../submission/ids.ts';
import { createClockWatch } from './watch-clock.ts';

const NOW = Date.UTC(2026, 10, 25);

function watch() {
  const said: string[] = [];
  const note = (level: string) => (_fields: object, text: string) => void said.push(`${level} ${text}`);
  const begin = createClockWatch({
    now: () => NOW,
    log: { info: note('info'), warn: note('warn') },
    setTrouble: (kind, is) => said.push(`${kind} ${is}`),
  });
  const answer = (account: string, date: string | undefined) =>
    begin(account as AccountId)({ kind: 'answered', status: 200, headers: { date }, text: '' });
  const show = (account: string, seconds: number) => answer(account, new Date(NOW + seconds * 1_000).toUTCString());
  return { said, begin, answer, show };
}

describe('a clock that differs from the service', () => {
  test('by more than a minute is logged once and in the metrics, and once more when it is right', () => {
    const { said, show } = watch();
    for (const seconds of [60, 61, 7_200]) show('main', seconds);
    assert.deepEqual(said.splice(0), [
      "warn this machine's clock is 61 s behind the service's: charges may count for another day, and waits may end early or late. Nothing is bought twice. Synchronize the clock (NTP)",
      'clock true',
    ]);
    show('second', -90);
    show('main', -60);
    assert.match(said[0]!, /^warn .*90 s ahead of the service/);
    assert.deepEqual(said.splice(1), [
      'clock true',
      "info this machine's clock agrees with the service's again",
      'clock true',
    ]);
    said.length = 0;
    show('second', 0);
    assert.equal(said[1], 'clock false');
  });

  test('is not judged without a time', () => {
    const { said, begin, answer } = watch();
    answer('main', undefined);
    answer('main', 'yesterday');
    const none: Exchange = { kind: 'none', reached: false, timedOut: true, what: 'no answer' };
    begin('main' as AccountId)(none);
    assert.deepEqual(said, []);
  });
});
