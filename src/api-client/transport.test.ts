import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { Dispatcher } from 'undici';
import { createTransport, DEFAULT_TIMEOUTS } from './transport.ts';

type Options = Parameters<Dispatcher['request']>[0];
const REQUEST = { method: 'GET', path: '/', headers: {} } as const;

/** A transport over connections that answer so. */
function connect(answer: (signal: AbortSignal) => Promise<unknown>) {
  const signals: AbortSignal[] = [];
  const dispatcher = {
    request({ signal }: Options) {
      signals.push(signal as AbortSignal);
      return answer(signal as AbortSignal);
    },
  };
  return { signals, transport: createTransport('http://service', DEFAULT_TIMEOUTS, dispatcher as never) };
}

async function* listPieces() {
  yield Buffer.from('{}');
}

describe('createTransport', () => {
  test('does not abort a request that was answered in time, however long ago', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { signals, transport } = connect(async () => ({ statusCode: 200, headers: {}, body: listPieces() }));
    assert.deepEqual(await transport.send(REQUEST), { kind: 'answered', status: 200, headers: {}, text: '{}' });
    t.mock.timers.tick(2 * DEFAULT_TIMEOUTS.totalMs);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    );
  });

  test('ends a request that takes too long as a whole', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { transport } = connect(async (signal) => {
      await once(signal, 'abort');
      throw signal.reason;
    });
    const sending = transport.send(REQUEST);
    t.mock.timers.tick(DEFAULT_TIMEOUTS.totalMs);
    const what = 'timed out as a whole';
    assert.deepEqual(await sending, { kind: 'none', reached: true, timedOut: true, what });
  });
});
