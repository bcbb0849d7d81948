import { buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { type AddressGuard, literalRefusal, privateHost } from './address-guard.ts';

export interface Timeouts {
  /** To a connection, TLS included. */
  readonly connectMs: number;
  /** From the request to the status line. */
  readonly headersMs: number;
  /** Without a byte of the body, or waited in all while less than 1 KiB came: a server that drips is as bad as one that hangs. */
  readonly idleMs: number;
  /** For one sitemap, retries and redirects included. */
  readonly totalMs: number;
}

/**
 * Connections for one crawl. Every one is judged three times: an address in the URL before anything else, the answer of
 * the resolver, and the peer once connected.
 *
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY are obeyed. Behind a proxy the proxy resolves names, so there it is the proxy
 * that must keep strangers' names away from private addresses; addresses and names that say `localhost` are refused
 * here all the same (see `literalRefusal`).
 */
export function openDispatcher(guard: AddressGuard, timeouts: Timeouts): Dispatcher {
  const connect = buildConnector({ timeout: timeouts.connectMs, lookup: guard.lookup, autoSelectFamily: true });
  return new EnvHttpProxyAgent({
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.idleMs,
    connections: 16,
    pipelining: 1,
    connect(options, callback) {
      const why = literalRefusal(guard, options.hostname);
      if (why !== null) {
        callback(privateHost(options.hostname, why), null);
        return;
      }
      connect(options, (error, socket) => {
        if (error !== null || socket === null) {
          callback(error ?? new Error('no connection'), null);
          return;
        }
        const peer = socket.remoteAddress;
        const refused = peer === undefined ? null : guard.refusal(options.hostname, peer);
        if (refused === null) callback(null, socket);
        else {
          socket.destroy();
          callback(privateHost(options.hostname, refused), null);
        }
      });
    },
  });
}
