import type { FastifyInstance } from 'fastify';
import { HEADERS } from '../../../contract/headers.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { MICROS_PER_TRY } from '../../../contract/money.ts';
import { IndexCheck } from '../../../contract/requests.ts';
import { IndexCheckResult } from '../../../contract/responses.ts';
import { checkUrlsInIndex } from '../../index-check/check.ts';
import { fingerprint } from '../../submissions/fingerprint.ts';
import type { Context } from '../context.ts';
import { success } from '../envelope.ts';
import { readUrls } from '../read-urls.ts';
import { parseIdempotencyKey, requireIdempotencyKey } from '../request.ts';
import { refuseInvalid } from '../schema-problems.ts';
import { describeResponses, POST_ERRORS } from './response-schemas.ts';

/** 50 URLs of 2,048 characters, each of them written as two \\uXXXX escapes. */
const BODY_BYTES = 2 * 1024 * 1024;

const RESPONSES = describeResponses(
  { 200: { description: 'What was found at that moment; also when asked before.', data: IndexCheckResult } },
  [...POST_ERRORS, 'request_in_progress', 'index_check_unavailable'],
);

/** POST /index-check (spec 4.8), beta. */
export function indexCheckRoute(
  app: FastifyInstance,
  { db, provider, settings, metrics, now, restoreSoon }: Context,
): void {
  const onRestored = () => metrics.restored('failed');
  app.post<{ Body: IndexCheck }>(
    '/index-check',
    {
      attachValidation: true,
      bodyLimit: BODY_BYTES,
      preValidation: requireIdempotencyKey,
      schema: {
        operationId: 'checkIndex',
        summary: 'Look for 1 to 50 URLs in current search results (beta)',
        tags: ['Index-check'],
        body: IndexCheck,
        response: RESPONSES,
      },
    },
    async (request, reply) => {
      await refuseInvalid(request, LIMITS.indexCheckUrls);
      const { urls } = await readUrls(request.body.urls);
      const { result, replayed } = await checkUrlsInIndex(
        { before: request.db, db, provider, settings: settings.indexCheck, now, restoreSoon, onRestored },
        {
          account: request.principal.account.id,
          idempotencyKey: parseIdempotencyKey(request),
          fingerprint: fingerprint(request.body),
          urls,
          price: settings.indexCheckPrice,
        },
      );
      if (replayed) reply.header(HEADERS.replayed, 'true');
      else metrics.checked({ urls: result.url_count, micros: Math.round(result.charged * MICROS_PER_TRY) });
      return success(
        request.id,
        replayed ? 'Checked before; nothing was charged again.' : `${result.found_count} of ${result.url_count} found.`,
        result,
      );
    },
  );
}
