import { Dispatcher, errors } from 'undici';
import { burnFuse, fence, getHost, type Host, type Kernel, runOn } from './kernel.ts';

export interface NetRequest {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface NetResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** Who answers at an address. A host that is dead refuses connections. */
export interface Endpoint {
  readonly host: Host | null;
  answer(request: NetRequest): Promise<NetResponse>;
}

/** What the network does to one request. */
export type Fault =
  | { readonly kind: 'none' }
  /** The request is lost, and the client sees its connection end. */
  | { readonly kind: 'drop-before' }
  /** Nobody listens there for a moment: surely nothing was sent. */
  | { readonly kind: 'refused' }
  /** The request arrives, the response is lost. */
  | { readonly kind: 'drop-after' }
  /** So much of the response arrives, of 1; absent: half of it. */
  | { readonly kind: 'cut'; readonly share?: number }
  /** The response takes so much longer. */
  | { readonly kind: 'stall'; readonly ms: number }
  /** The client sees its connection end; the request arrives this much later. */
  | { readonly kind: 'late'; readonly ms: number }
  /** A gateway answers instead of the service. */
  | { readonly kind: 'instead'; readonly response: NetResponse }
  /** A gateway answers although the service has done its work. */
  | { readonly kind: 'instead-after'; readonly response: NetResponse }
  /** What the service answers is changed on its way. */
  | { readonly kind: 'alter'; readonly alter: (response: NetResponse) => NetResponse };

export interface NetworkSettings {
  readonly kernel: Kernel;
  readonly latency: () => number;
  readonly getFault: (request: NetRequest) => Fault;
  /** A client has sent a request. */
  readonly onSent?: (request: NetRequest, fault: Fault) => void;
  /** A client has a request that found nobody who listens: nothing was sent. */
  readonly onRefused?: (request: NetRequest) => void;
  /** An endpoint has answered one; the client may never hear of it. */
  readonly onAnswered?: (request: NetRequest, response: NetResponse) => void;
  /** A client that lives has the response to one: `share` of it, 1 for all. */
  readonly onRead?: (request: NetRequest, response: NetResponse, share: number) => void;
}

/** Carries requests between hosts, with the delays and faults of its simulation. */
export class VirtualNetwork {
  readonly #settings: NetworkSettings;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #open = new Map<Host, Set<(error: Error) => void>>();

  constructor(settings: NetworkSettings) {
    this.#settings = settings;
  }

  listen(origin: string, endpoint: Endpoint): void {
    this.#endpoints.set(origin, endpoint);
  }

  /** Ends the connections to a host that has died. */
  disconnect(host: Host): void {
    const open = this.#open.get(host) ?? new Set();
    this.#open.delete(host);
    for (const fail of open) fail(socketError('other side closed'));
  }

  /** One request of the host that runs now. `then` is called on it once, unless it has died or `isGivenUp` by then. */
  send(
    request: NetRequest,
    then: (result: NetResponse | Error, share: number) => void,
    isGivenUp: () => boolean,
  ): void {
    const { kernel, latency, getFault, onSent, onRefused, onRead } = this.#settings;
    const client = getHost();
    if (client !== null) burnFuse(client);
    if (client?.alive === false) return;
    const fault = getFault(request);
    kernel.trace(`${client?.name ?? '-'} ${describeRequest(request)}${fault.kind === 'none' ? '' : ` ${fault.kind}`}`);
    if (fault.kind === 'refused') onRefused?.(request);
    else onSent?.(request, fault);
    let done = false;
    const deliver = (delayMs: number, result: NetResponse | Error, share = 1) => {
      kernel.schedule(delayMs, client, () => {
        if (done || isGivenUp()) return;
        done = true;
        if (!(result instanceof Error)) onRead?.(request, result, share);
        then(result, share);
      });
    };
    switch (fault.kind) {
      case 'refused':
        deliver(latency(), Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
        return;
      case 'drop-before':
        deliver(latency() * 2, socketError('other side closed'));
        return;
      case 'late':
        deliver(latency() * 2, socketError('other side closed'));
        this.#arrive(request, fault.ms, () => undefined);
        return;
      case 'instead':
        deliver(latency() * 2, fault.response);
        return;
      default:
        this.#arrive(request, latency(), (answer) => {
          if (answer instanceof Error) deliver(latency(), answer);
          else if (fault.kind === 'drop-after') deliver(latency(), socketError('other side closed'));
          else if (fault.kind === 'instead-after') deliver(latency(), fault.response);
          else if (fault.kind === 'alter') deliver(latency(), fault.alter(answer));
          else deliver(latency() + (fault.kind === 'stall' ? fault.ms : 0), answer, toShare(fault));
        });
    }
  }

  /** A request of a program that is not simulated: it meets no fault, and counts for nobody. */
  ask(request: NetRequest): Promise<NetResponse> {
    return new Promise((resolve, reject) => {
      this.#arrive(request, this.#settings.latency(), (answer) => {
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      });
    });
  }

  #arrive(request: NetRequest, delayMs: number, then: (answer: NetResponse | Error) => void): void {
    const { kernel, onAnswered } = this.#settings;
    kernel.schedule(delayMs, null, () => {
      const endpoint = this.#endpoints.get(request.origin);
      if (endpoint === undefined || endpoint.host?.alive === false) {
        then(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
        return;
      }
      const { host } = endpoint;
      let done = false;
      const once = (answer: NetResponse | Error) => {
        if (done) return;
        done = true;
        if (host !== null) this.#open.get(host)?.delete(once);
        if (!(answer instanceof Error)) {
          kernel.trace(`${describeRequest(request)} answered ${answer.status}`);
          onAnswered?.(request, answer);
        }
        then(answer);
      };
      if (host === null) {
        void endpoint.answer(request).then(once, once);
        return;
      }
      const open = this.#open.get(host) ?? new Set();
      this.#open.set(host, open.add(once));
      void fence(
        host,
        runOn(host, () => endpoint.answer(request)),
      ).then(once, once);
    });
  }

  /** The HTTP layer of a client on this network. */
  createDispatcher(): Dispatcher {
    return new VirtualDispatcher(this, this.#settings.kernel);
  }
}

let current: VirtualNetwork | null = null;

/** The network for code that opens its own connections. */
export function setNetwork(network: VirtualNetwork | null): void {
  current = network;
}

export function getNetwork(): VirtualNetwork {
  if (current === null) throw new Error('nothing is simulated now, and the platform has no network of its own');
  return current;
}

const toShare = (fault: Fault): number => (fault.kind === 'cut' ? (fault.share ?? 0.5) : 1);

/** What a client has of a response whose connection breaks off. */
export const cutBody = ({ body }: NetResponse, share: number): Buffer =>
  share === 1 ? body : body.subarray(0, Math.floor(body.length * share));

/** The method and the address, and the tail of the key that says which batch it is. */
function describeRequest({ method, path, headers }: NetRequest): string {
  const key = headers['idempotency-key'];
  return key === undefined ? `${method} ${path}` : `${method} ${path} ${key.slice(0, 12)}`;
}

const socketError = (message: string): Error => new errors.SocketError(message);

class VirtualDispatcher extends Dispatcher {
  readonly #network: VirtualNetwork;
  readonly #kernel: Kernel;

  constructor(network: VirtualNetwork, kernel: Kernel) {
    super();
    this.#network = network;
    this.#kernel = kernel;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    let ended = false;
    const controller = {
      aborted: false,
      paused: false,
      reason: null as Error | null,
      rawHeaders: [],
      rawTrailers: [],
      pause: () => undefined,
      resume: () => undefined,
      abort(reason: Error) {
        if (ended) return;
        ended = true;
        controller.aborted = true;
        controller.reason = reason;
        handler.onResponseError?.(controller as never, reason);
      },
    };
    handler.onRequestStart?.(controller as never, {});
    if (ended) return true;
    const url = new URL(options.path, options.origin as string);
    const { headersTimeout } = options;
    const timeout =
      typeof headersTimeout === 'number' && headersTimeout > 0
        ? this.#kernel.schedule(headersTimeout, getHost(), () => controller.abort(new errors.HeadersTimeoutError()))
        : null;
    const request: NetRequest = {
      origin: url.origin,
      method: options.method,
      path: url.pathname + url.search,
      headers: options.headers as Record<string, string>,
      body: options.body == null ? Buffer.alloc(0) : Buffer.from(options.body as Uint8Array),
    };
    const onResult = (result: NetResponse | Error, share: number): void => {
      timeout?.cancel();
      if (result instanceof Error) {
        controller.abort(result);
        return;
      }
      const { status, headers, body } = result;
      handler.onResponseStart?.(controller as never, status, headers as never, '');
      if (share < 1) {
        handler.onResponseData?.(controller as never, cutBody(result, share));
        controller.abort(socketError('other side closed'));
        return;
      }
      if (body.length > 0) handler.onResponseData?.(controller as never, body);
      ended = true;
      handler.onResponseEnd?.(controller as never, {});
    };
    this.#network.send(request, onResult, () => ended);
    return true;
  }

  override async close(): Promise<void> {}
  override async destroy(): Promise<void> {}
}
