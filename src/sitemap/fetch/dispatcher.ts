import { buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { type AddressGuard, createPrivateHostError, explainRefusedName } from './address-guard.ts';
import { findProxies } from './proxy.ts';

export interface Timeouts {
  /** To a connection, TLS included. */
  readonly connectMs: number;
  /** From the request to the status line. */
  readonly headersMs: number;
  /** Without a byte of the body, or in all while less than 1 KiB came. */
  readonly idleMs: number;
  /** For one sitemap, retries and redirects included. */
  readonly totalMs: number;
}

/**
 * Connections for one crawl. Each is checked three times: an address in the URL before anything else, the answer of the
 * resolver, and the peer once connected.
 *
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply. A proxy resolves names itself, so behind one it is the proxy that must refuse
 * names with private addresses; addresses and `localhost` are refused here in any case (see `explainRefusedName`).
 * Throws ProxySettingError.
 */
export function openDispatcher(guard: AddressGuard, timeouts: Timeouts): Dispatcher {
  const connect = buildConnector({ timeout: timeouts.connectMs, lookup: guard.lookup, autoSelectFamily: true });
  const proxies = findProxies(process.env);
  const http = proxies.find(({ variable }) => /^http_proxy$/i.test(variable))?.url.href;
  const https = proxies.find(({ variable }) => /^https_proxy$/i.test(variable))?.url.href;
  return new EnvHttpProxyAgent({
    ...(http === undefined ? {} : { httpProxy: http }),
    ...(https === undefined ? {} : { httpsProxy: https }),
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.idleMs,
    connections: 16,
    pipelining: 1,
    connect(options, callback) {
      const why = explainRefusedName(guard, options.hostname);
      if (why !== null) {
        callback(createPrivateHostError(options.hostname, why), null);
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
          callback(createPrivateHostError(options.hostname, refused), null);
        }
      });
    },
  });
}
