import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { describeProcessor, type Outside, type ProcessorUnderTest } from '../../test/support/processor-conformance.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { openProcessor } from './processors.ts';
import type { ProcessingSettings } from './settings.ts';

/** Every processor that the settings can name: a new one that is missing here does not compile. */
const PROCESSORS: Readonly<Record<ProcessingSettings['processor'], Omit<ProcessorUnderTest, 'name'>>> = {
  simulated: {
    contactsOthers: false,
    open: async () => openProcessor({ ...DEFAULT_SETTINGS.processing, processor: 'simulated' }),
  },
  indexnow: {
    contactsOthers: true,
    open: async (t, outside) =>
      openProcessor({
        ...DEFAULT_SETTINGS.processing,
        processor: 'indexnow',
        indexnow: { endpoint: await openEndpoint(t, outside), key: 'a1b2c3d4-key' },
      }),
  },
};

/** A server on this machine that accepts, fails or hangs. */
async function openEndpoint(t: TestContext, outside: Outside): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (outside !== 'hangs') response.writeHead(outside === 'accepts' ? 202 : 500).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('every processor', () => {
  test('is in the guide for those who host the service', () => {
    const guide = readFileSync(new URL('../../docs/guides/host-the-service.md', import.meta.url), 'utf8');
    for (const name of Object.keys(PROCESSORS)) assert.ok(guide.includes(`| \`${name}\` |`), name);
  });

  for (const [name, processor] of Object.entries(PROCESSORS)) describeProcessor({ name, ...processor });
});
