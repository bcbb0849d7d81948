import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCronProblem } from './cron.ts';
import { toSentence } from './fault.ts';

const say = (fault: ReturnType<typeof findCronProblem>): string =>
  fault === null ? '' : toSentence(fault, () => true).message;

describe('cron lines', () => {
  test('accepts what Temporal accepts', () => {
    for (const cron of [
      ...['30 4 * * *', '*/15 * * * *', '0 0 1,15 * *', '0 9-17/2 * * 1-5', '0 4 * JAN-MAR Mon,Thu', '5/10 * * * 7'],
      ...['  0 4 * * 0 '],
    ]) {
      assert.equal(findCronProblem(cron), null, cron);
    }
  });

  test('rejects what Temporal rejects and names the wrong field', () => {
    for (const [cron, problem] of [
      ['30 25 * * *', /^"25" of "30 25 \* \* \*" is not an hour/],
      ['60 4 * * *', /^"60" of .* is not a minute: write 0 to 59/],
      ['0 4 0 * *', /^"0" of .* is not a day of the month/],
      ['0 4 * 13 *', /^"13" of .* is not a month/],
      ['0 4 * * 8', /^"8" of .* is not a day of the week/],
      ['0 4 * * fry', /^"fry" of .* is not a day of the week/],
      ['9-5 4 * * *', /^"9-5" of .* is not a minute/],
      ['*/0 4 * * *', /^"\*\/0" of .* is not a minute/],
      ['0 4 * *', /does not have five fields/],
      ['0 0 4 * * *', /does not have five fields: .*; write "0 4 \* \* \*"$/],
      ['@daily', /does not have five fields: .*; write "0 0 \* \* \*"$/],
    ] as const) {
      assert.match(say(findCronProblem(cron)), problem, cron);
    }
  });
});
