import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { toNetworkError } from '../../../src/sitemap/fetch/http-error.ts';
import type { RequestOptions } from '../../../src/sitemap/fetch/request.ts';
import { SitemapError } from '../../../src/sitemap/problems.ts';
import { cutBody, getNetwork, type NetResponse } from './network.ts';

export { discard, getBodyEnd, readBody } from '../../../src/sitemap/fetch/request.ts';

/** Stands in for the crawler's `get`: the same promise, on the virtual network. */
export function get(url: URL, { headers, timeouts, signal }: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let hasFailed = false;
    const fail = (error: Error) => {
      hasFailed = true;
      reject(toNetworkError(error, url, signal));
    };
    if (signal.aborted) {
      fail(signal.reason as Error);
      return;
    }
    const stop = () => fail(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(() => fail(new SitemapError('TIMEOUT', 'no answer in time')), timeouts.headersMs);
    const request = {
      ...{ origin: url.origin, method: 'GET', path: url.pathname + url.search, headers },
      body: Buffer.alloc(0),
    };
    const onResult = (result: NetResponse | Error, share: number): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (result instanceof Error) {
        fail(Object.assign(result, { code: 'ECONNRESET' }));
        return;
      }
      const { status, headers: answered } = result;
      const bytes = cutBody(result, share);
      const stream = new Readable({
        read() {
          this.push(bytes);
          if (share < 1) this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
          else this.push(null);
        },
      });
      stream.on('error', () => undefined);
      resolve(Object.assign(stream, { statusCode: status, headers: answered }) as unknown as IncomingMessage);
    };
    getNetwork().send(request, onResult, () => hasFailed);
  });
}
