import type { FastifyInstance } from 'fastify';
import { CURRENCY } from '../../../contract/money.ts';
import { Balance, Me, Stats } from '../../../contract/responses.ts';
import { isoTime, isoTimeOrNull, lira } from '../../submissions/record.ts';
import { accountStats, toBalance } from '../../submissions/stats.ts';
import type { Context } from '../context.ts';
import { success } from '../envelope.ts';
import { describeResponses } from './response-schemas.ts';

const operation = (operationId: string, summary: string, data: typeof Me | typeof Balance | typeof Stats) => ({
  operationId,
  summary,
  tags: ['Account'],
  response: describeResponses({ 200: { description: summary, data } }, []),
});

const ME = operation('getMe', 'Account, wallet and key', Me);
const BALANCE = operation('getBalance', 'Balance and currency', Balance);
const STATS = operation('getStats', 'Balance and submission statistics', Stats);

/** GET /me, /balance and /stats (spec 4.2 to 4.4). */
export function accountRoutes(app: FastifyInstance, { settings }: Context): void {
  app.get('/me', { schema: ME }, async (request) => {
    const { account, key } = request.principal;
    return success(request.id, 'Your account.', {
      account: { id: account.publicId, name: account.name, created_at: isoTime(account.createdAt) },
      wallet: toBalance(account.balance),
      prices: {
        standard: lira(account.prices.standard),
        fast: lira(account.prices.fast),
        index_check: lira(settings.indexCheckPrice),
        currency: CURRENCY,
      },
      api_key: {
        id: key.id,
        name: key.name,
        prefix: key.prefix,
        created_at: isoTime(key.createdAt),
        expires_at: isoTimeOrNull(key.expiresAt),
      },
      default_service: settings.defaultService,
    });
  });

  app.get('/balance', { schema: BALANCE }, async (request) =>
    success(request.id, 'Your balance.', toBalance(request.principal.account.balance)),
  );

  app.get('/stats', { schema: STATS }, async (request) =>
    success(request.id, 'Your statistics.', await accountStats(request.db, request.principal.account)),
  );
}
