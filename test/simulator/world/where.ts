import type { NetRequest, NetResponse } from '../platform/network.ts';
import { NEW_ADDRESS, OTHER_SERVICE, SERVICE } from './addresses.ts';
import type { Ask } from './programs.ts';
import { respond } from './site.ts';
import type { World } from './world.ts';

const UNAUTHORIZED = respond(
  401,
  'application/json',
  JSON.stringify({
    success: false,
    status: 'error',
    message: 'unauthorized',
    data: null,
    error: { code: 'unauthorized', message: 'unauthorized' },
    request_id: 'req_service',
  }),
);

/**
 * What a service answers at its address: a key of another service is none there. Two services are one program: they share
 * no account, and an account shows nothing of another one.
 */
export async function answerAt(world: World, request: NetRequest, ask: Ask): Promise<NetResponse> {
  const isElsewhere = world.keys.getOwner(request) === 'second' && world.scenario.services?.isSecondElsewhere === true;
  const addresses: readonly string[] = isElsewhere ? [OTHER_SERVICE] : [SERVICE, NEW_ADDRESS];
  if (!addresses.includes(request.origin) || world.keys.isEarly(request)) return UNAUTHORIZED;
  return ask(request);
}
