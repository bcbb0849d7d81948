import type { Agent, AgentOptions } from 'node:http';
import { createRequire } from 'node:module';
import type { LookupFunction, Socket, TcpNetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AddressGuard, createPrivateHostError, explainRefusedName } from './address-guard.ts';
import type { ProxySetting } from './proxy.ts';

/** Required, not imported: an import of `node:http` also loads its WebSocket, which takes as long as all the rest. */
const load = createRequire(import.meta.url);
export const http = load('node:http') as typeof import('node:http');
export const https = load('node:https') as typeof import('node:https');

/** The connections of one crawl, kept alive between its requests. */
export interface Connections {
  getAgent(protocol: string): Agent;
  /** Ends every connection. */
  close(): void;
}

/**
 * Each connection is checked three times: an address in the URL before anything else, the answer of the resolver, and the
 * peer once connected, before the first byte is sent.
 *
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply. A proxy resolves names itself, so behind one it is the proxy that must refuse
 * names with private addresses; addresses and `localhost` are refused here in any case (see `explainRefusedName`).
 */
export function openConnections(guard: AddressGuard, proxies: readonly ProxySetting[]): Connections {
  const findProxy = (pattern: RegExp) => proxies.find(({ variable }) => pattern.test(variable))?.url.href;
  const options: AgentOptions = {
    keepAlive: true,
    proxyEnv: {
      HTTP_PROXY: findProxy(/^http_proxy$/i),
      HTTPS_PROXY: findProxy(/^https_proxy$/i),
      NO_PROXY: process.env.no_proxy ?? process.env.NO_PROXY,
    },
  };
  const plain = guardAgent(new http.Agent(options), guard);
  const secure = guardAgent(new https.Agent(options), guard);
  return {
    getAgent: (protocol) => (protocol === 'https:' ? secure : plain),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

type Connect = (options: TcpNetConnectOpts) => Duplex | null | undefined;

/** Checks every connection that the agent opens. */
function guardAgent(agent: Agent, guard: AddressGuard): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options: TcpNetConnectOpts, onCreate) =>
    connectGuarded(guard, options, (checked) => connect(checked, onCreate));
  return agent;
}

/** Node does not resolve the name of a site that it reaches through a proxy, so only direct connections get here. */
function connectGuarded(guard: AddressGuard, options: TcpNetConnectOpts, connect: Connect) {
  const host = options.host ?? '';
  const why = explainRefusedName(guard, host);
  if (why !== null) throw createPrivateHostError(host, why);
  let isResolvedHere = false;
  const lookup: LookupFunction = (name, how, callback) => {
    isResolvedHere = true;
    guard.lookup(name, how, callback);
  };
  const socket = connect({ ...options, lookup }) as Socket | null | undefined;
  socket?.once('connect', () => {
    const peer = socket.remoteAddress;
    const refused = !isResolvedHere || peer === undefined ? null : guard.refusal(host, peer);
    if (refused !== null) socket.destroy(createPrivateHostError(host, refused));
  });
  return socket;
}
