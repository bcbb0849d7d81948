import { createRequire } from 'node:module';
import type { Dispatcher, Pool } from 'undici';

/**
 * Opens undici's connections to one origin. Loads the two parts of undici that a request needs, when there is one to send:
 * its index brings fetch, WebSocket, caches and mocks as well, 110 modules that cost a short command 30 ms.
 */
export function openPool(origin: string, options: Pool.Options): Pick<Dispatcher, 'request' | 'close'> {
  const require = createRequire(import.meta.url);
  const Connections = require('undici/lib/dispatcher/pool.js') as typeof Pool;
  const request = require('undici/lib/api/api-request.js') as Dispatcher['request'];
  return Object.assign(new Connections(origin, options), { request });
}
