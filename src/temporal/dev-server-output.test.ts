import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createStartFinder, hasStarted, isPortTaken } from './dev-server-output.ts';

/** As version 1.5.1 of the command prints them. */
const STARTED = `CLI 1.5.1 (Server 1.29.1, UI 2.42.1)

Server:  localhost:17779
Metrics: http://localhost:41739/metrics
`;
const TAKEN = `time=2026-11-21T23:30:20.781 level=ERROR msg="can't set frontend port 17777: listen tcp 127.0.0.1:17777: bind: address already in use"
`;

describe("the development server's output", () => {
  test('with its addresses means that it has its port', () => {
    assert.equal(hasStarted(STARTED), true);
    assert.equal(isPortTaken(STARTED), false);
  });

  test('tells a port in use from other failures', () => {
    assert.equal(isPortTaken(TAKEN), true);
    assert.equal(hasStarted(TAKEN), false);
    assert.equal(isPortTaken('level=ERROR msg="unable to open database file"'), false);
  });

  test('has its addresses behind any number of errors, in any pieces', () => {
    const errors = 'level=ERROR msg="Persistent fetch operation Failure" Server: none\n'.repeat(1_000);
    for (const size of [1, 7, 4_096]) {
      const find = createStartFinder();
      const pieces = `${errors}${STARTED}`.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const found = pieces.map((piece) => find(piece));
      assert.equal(found.at(-1), true, `${size}`);
      assert.equal(found[Math.floor(errors.length / size) - 1], false, `${size}: not before`);
    }
  });

  test('up to a line that is not whole yet means neither', () => {
    assert.equal(hasStarted('CLI 1.5.1 (Server 1.29.1, UI 2.42.1)\n\nServ'), false);
  });
});
