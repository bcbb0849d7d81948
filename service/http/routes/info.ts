import type { FastifyInstance } from 'fastify';
import { ServiceInfo } from '../../../contract/responses.ts';
import { BASE_PATH, CONTRACT_VERSION } from '../../../contract/version.ts';
import type { Context } from '../context.ts';
import { success } from '../envelope.ts';
import { describePublicResponses } from './response-schemas.ts';

const RESPONSES = describePublicResponses({ 200: { description: 'The service answers.', data: ServiceInfo } });

/** GET / (spec 4.1): public. */
export function infoRoute(app: FastifyInstance, { health, settings }: Context): void {
  const schema = {
    operationId: 'getServiceInfo',
    summary: 'Version and availability',
    tags: ['Service'],
    response: RESPONSES,
  };
  app.get('/', { schema }, async (request) => {
    const available = await health.isWritable();
    return success(request.id, available ? 'The service is available.' : 'Submissions cannot be accepted now.', {
      name: 'Queued URL Submission Service',
      version: 'v1',
      contract_version: CONTRACT_VERSION,
      available,
      openapi: `${settings.pathPrefix}${BASE_PATH}/openapi.json`,
    });
  });
}
