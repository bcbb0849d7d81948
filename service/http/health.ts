import type { FastifyInstance } from 'fastify';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';

/** /healthz: the process answers. /readyz: it can serve, the storage included. For a supervisor, outside the API. */
export function healthRoutes(app: FastifyInstance, db: Database): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await db.get(sql`SELECT 1 AS one`);
      return { status: 'ok' };
    } catch {
      return reply.status(503).send({ status: 'unavailable', reason: 'the storage does not answer' });
    }
  });
}
