import type { FastifyInstance } from 'fastify';
import type { Health } from '../capacity/health.ts';

/**
 * For a supervisor, outside the API. /healthz: the process responds. /readyz: whether a submission can be accepted now
 * (else 503), and whether a worker processes submissions: without one, requests need not go elsewhere.
 */
export function healthRoutes(app: FastifyInstance, health: Health): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const { status, body } = await readReadiness(health);
    return reply.status(status).send(body);
  });
}

export async function readReadiness(health: Health): Promise<{ readonly status: number; readonly body: object }> {
  if (!(await health.isWritable())) {
    return { status: 503, body: { status: 'unavailable', reason: 'the database does not accept writes' } };
  }
  const { workers, oldestWaitingSeconds } = await health.getProcessing();
  return {
    status: 200,
    body: {
      status: workers === 'ready' ? 'ok' : 'degraded',
      workers,
      oldest_waiting_seconds: oldestWaitingSeconds,
      ...(workers === 'ready'
        ? {}
        : { reason: 'no worker is ready: submissions are accepted and charged, and wait for one' }),
    },
  };
}
