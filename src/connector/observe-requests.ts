import type { ApiClient } from '../api-client/client.ts';
import type { EmitEvent } from '../observability/worker-events.ts';
import type { LimitedClient } from '../rate-limit/limited-client.ts';
import type { ApiAnswer } from '../submission/answer.ts';
import type { AccountId } from '../submission/ids.ts';

/** An account's client that reports each response. */
export function observeRequests(api: LimitedClient, account: AccountId, emit: EmitEvent): LimitedClient {
  function report<Data>(answer: ApiAnswer<Data>): ApiAnswer<Data> {
    const { endpoint, status, tookMs } = answer;
    emit({ kind: 'request', account, endpoint, status, tookMs, unavailable: findUnavailability(answer) });
    return answer;
  }
  const reporting =
    <Data>(request: (client: ApiClient) => Promise<ApiAnswer<Data>>) =>
    async (client: ApiClient) =>
      report(await request(client));
  return {
    request: (lane, request) => api.request(lane, reporting(request)),
    reserved: (lane, work) => api.reserved(lane, (send) => work((request) => send(reporting(request)))),
    close: () => api.close(),
  };
}

/** Why the service counts as unavailable; null when it responded, even with a refusal. */
function findUnavailability({ status, body, endpoint }: ApiAnswer): string | null {
  if (body.kind === 'none') return body.what;
  // 503 to an index-check means that the provider is down, not the service.
  if (status !== null && status >= 500 && endpoint !== 'index-check') return `status ${status}`;
  return body.kind === 'unreadable' ? body.what : null;
}
