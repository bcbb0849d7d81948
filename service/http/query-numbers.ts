import type { FastifyRequest } from 'fastify';

const DIGITS = /^\d{1,15}$/;

/**
 * Query texts of digits become numbers where the contract has numbers; whatever else was written ("1e2", "+1", "") stays
 * a text, which the schema then refuses. A hook before validation.
 */
export function numbersIn(...names: readonly string[]) {
  return async (request: FastifyRequest): Promise<void> => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) {
      const text = query[name];
      if (typeof text === 'string' && DIGITS.test(text)) query[name] = Number(text);
    }
  };
}
