import type { FastifyInstance } from 'fastify';
import { HEADERS } from '../../../contract/headers.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { IndexCheck } from '../../../contract/requests.ts';
import { IndexCheckResult } from '../../../contract/responses.ts';
import { checkUrlsInIndex } from '../../index-check/check.ts';
import { fingerprint } from '../../submissions/fingerprint.ts';
import { checkUrls } from '../../submissions/url-rules.ts';
import { validationFailed } from '../api-error.ts';
import type { Context } from '../context.ts';
import { success } from '../envelope.ts';
import { parseIdempotencyKey, requireIdempotencyKey } from '../request.ts';
import { refuseInvalid } from '../schema-problems.ts';
import { describeResponses, POST_ERRORS } from './response-schemas.ts';

/** POST /index-check (spec 4.8), beta. */
export function indexCheckRoute(app: FastifyInstance, { db, provider, settings, now }: Context): void {
  app.post<{ Body: IndexCheck }>(
    '/index-check',
    {
      attachValidation: true,
      preValidation: requireIdempotencyKey,
      schema: {
        operationId: 'checkIndex',
        summary: 'Look for 1 to 50 URLs in current search results (beta)',
        tags: ['Index-check'],
        body: IndexCheck,
        response: describeResponses(
          { 200: { description: 'What was found at that moment; also when asked before.', data: IndexCheckResult } },
          [...POST_ERRORS, 'request_in_progress', 'index_check_unavailable'],
        ),
      },
    },
    async (request, reply) => {
      refuseInvalid(request, LIMITS.indexCheckUrls);
      const { urls, problems } = checkUrls(request.body.urls);
      if (problems.length > 0) throw validationFailed(problems);
      const { result, replayed } = await checkUrlsInIndex(
        db,
        provider,
        settings.indexCheck,
        {
          account: request.principal.account.id,
          idempotencyKey: parseIdempotencyKey(request),
          fingerprint: fingerprint(request.body),
          urls,
          price: settings.indexCheckPrice,
        },
        now,
      );
      if (replayed) reply.header(HEADERS.replayed, 'true');
      return success(
        request.id,
        replayed ? 'Checked before; nothing was charged again.' : `${result.found_count} of ${result.url_count} found.`,
        result,
      );
    },
  );
}
