import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../observability/log.ts';
import { startHousekeeping } from './housekeeping.ts';

/** The two ways to say every second. */
const EVERY_SECOND = [{ cron: '* * * * * *' }, { everySeconds: 1 }];

function openLog() {
  const lines: string[] = [];
  const note = (_fields: object, message: string) => lines.push(message);
  return { lines, log: { info: note, warn: note } as unknown as Logger };
}

for (const when of EVERY_SECOND)
  describe(`housekeeping with ${Object.keys(when)[0]}`, () => {
    test('a chore that takes longer than its interval does not run twice at a time, and closing waits for it', async () => {
      let running = 0;
      let most = 0;
      let done = 0;
      const begun = Promise.withResolvers<void>();
      const run = async () => {
        begun.resolve();
        most = Math.max(most, ++running);
        await pause(2_500);
        running -= 1;
        done += 1;
      };
      const housekeeping = startHousekeeping([{ name: 'slow', ...when, run }], openLog().log);
      await begun.promise;
      await pause(1_500);
      await housekeeping.close();
      assert.deepEqual([most, running, done], [1, 0, 1]);
      await pause(1_200);
      assert.equal(running, 0, 'nothing begins after it was closed');
    });

    test('a chore that fails is logged when it begins to fail and when it works again', async () => {
      const { lines, log } = openLog();
      let turn = 0;
      const ended = Promise.withResolvers<void>();
      const run = async () => {
        turn += 1;
        if (turn === 4) ended.resolve();
        if (turn < 3) throw new Error('no disk');
      };
      const housekeeping = startHousekeeping([{ name: 'digest', ...when, run }], log);
      await ended.promise;
      await housekeeping.close();
      assert.deepEqual(lines, ['digest failed; it is tried again on its schedule', 'digest works again']);
    });
  });
