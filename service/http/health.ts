import type { FastifyInstance } from 'fastify';
import type { Health } from '../capacity/health.ts';

/**
 * For a supervisor, outside the API. /healthz: the process answers. /readyz: a submission could be accepted now (else
 * 503), and whether somebody processes what was accepted: that is no reason to send requests elsewhere.
 */
export function healthRoutes(app: FastifyInstance, health: Health): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    if (!(await health.isWritable())) {
      return reply.status(503).send({ status: 'unavailable', reason: 'the storage does not take writes' });
    }
    const { workers, oldestWaitingSeconds } = await health.getProcessing();
    return {
      status: workers === 'ready' ? 'ok' : 'degraded',
      workers,
      oldest_waiting_seconds: oldestWaitingSeconds,
      ...(workers === 'ready' ? {} : { reason: 'no worker is ready: submissions are accepted and charged, and wait' }),
    };
  });
}
