import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Output, openOutput, report } from './output.ts';

/** Where a line of a report goes. */
function whereTo(flags: { readonly quiet?: boolean; readonly json?: boolean }, exitCode: 0 | 3): string[] {
  const went: string[] = [];
  const output: Output = { ...openOutput(flags), print: () => went.push('stdout'), warn: () => went.push('stderr') };
  report(output, exitCode, ['line']);
  return went;
}

describe('what a command did', () => {
  test('goes to stdout', () => {
    assert.deepEqual([whereTo({}, 0), whereTo({}, 3)], [['stdout'], ['stdout']]);
  });

  test('is silent with --quiet when it succeeded, else on the stream of the errors', () => {
    assert.deepEqual([whereTo({ quiet: true }, 0), whereTo({ quiet: true }, 3)], [[], ['stderr']]);
  });

  test('is in the records alone with --json and --quiet', () => {
    assert.deepEqual(whereTo({ quiet: true, json: true }, 3), []);
  });
});
