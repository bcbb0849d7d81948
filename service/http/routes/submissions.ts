import type { FastifyInstance } from 'fastify';
import { HEADERS } from '../../../contract/headers.ts';
import { DEFAULT_PROJECT, LIMITS } from '../../../contract/limits.ts';
import { CreateSubmission, DetailQuery, ListQuery } from '../../../contract/requests.ts';
import { Submission, SubmissionDetail, SubmissionList } from '../../../contract/responses.ts';
import { BASE_PATH } from '../../../contract/version.ts';
import { accept } from '../../submissions/accept.ts';
import { submissionDetail } from '../../submissions/detail.ts';
import { fingerprintInTurns } from '../../submissions/fingerprint.ts';
import { listSubmissions } from '../../submissions/list.ts';
import { toSubmission } from '../../submissions/record.ts';
import { ApiError, validationFailed } from '../api-error.ts';
import type { Context } from '../context.ts';
import { success } from '../envelope.ts';
import { readUrls } from '../read-urls.ts';
import { parseIdempotencyKey, parseQueryNumbers, requireIdempotencyKey } from '../request.ts';
import { refuseInvalid } from '../schema-problems.ts';
import { describeResponses, POST_ERRORS } from './response-schemas.ts';

const CREATE_RESPONSES = describeResponses(
  {
    200: { description: 'The same request was accepted before: its submission, nothing charged.', data: Submission },
    202: { description: 'Accepted, charged and queued.', data: Submission },
  },
  [...POST_ERRORS, 'outcome_unknown'],
);
const LIST_RESPONSES = describeResponses({ 200: { description: 'One page, newest first.', data: SubmissionList } }, [
  'validation_failed',
]);
const DETAIL_RESPONSES = describeResponses(
  { 200: { description: 'The submission and one page of its URLs.', data: SubmissionDetail } },
  ['submission_not_found', 'validation_failed'],
);

/** Submissions (spec 4.5 to 4.7). */
export function submissionRoutes(app: FastifyInstance, context: Context): void {
  const { settings, metrics, now, accepted } = context;

  app.post<{ Body: CreateSubmission }>(
    '/submissions',
    {
      config: { submission: true },
      bodyLimit: settings.bodyLimitBytes,
      attachValidation: true,
      preValidation: requireIdempotencyKey,
      schema: {
        operationId: 'createSubmission',
        summary: 'Submit 1 to 5,000 URLs',
        tags: ['Submissions'],
        body: CreateSubmission,
        response: CREATE_RESPONSES,
      },
    },
    async (request, reply) => {
      await refuseInvalid(request, LIMITS.submissionUrls);
      const { body } = request;
      const { project = DEFAULT_PROJECT, service = settings.defaultService } = body;
      if (!project.isWellFormed()) {
        throw validationFailed([{ field: 'project', index: null, reason: 'holds half of a surrogate pair' }]);
      }
      const checked = await readUrls(body.urls ?? [], body.url);
      if (checked.urls.length > LIMITS.submissionUrls) {
        throw validationFailed([
          { field: 'urls', index: null, reason: `and url must hold at most ${LIMITS.submissionUrls} together` },
        ]);
      }
      const print = await fingerprintInTurns(body);
      const wanted = {
        account: request.principal.account.id,
        idempotencyKey: parseIdempotencyKey(request),
        fingerprint: print,
        project,
        service,
        ...checked,
      };
      const { submission, replayed } = await accept(request.db, wanted, now());
      reply.header('location', `${BASE_PATH}/submissions/${submission.reference}`);
      if (replayed) {
        reply.header(HEADERS.replayed, 'true');
        return success(request.id, 'Accepted before; nothing was charged again.', toSubmission(submission));
      }
      accepted();
      metrics.accepted({ service, urls: submission.url_count, micros: submission.charged });
      reply.status(202);
      return success(
        request.id,
        'Accepted and queued. This does not mean that a URL is indexed.',
        toSubmission(submission),
      );
    },
  );

  app.get<{ Querystring: ListQuery }>(
    '/submissions',
    {
      preValidation: parseQueryNumbers('page', 'limit'),
      schema: {
        operationId: 'listSubmissions',
        summary: 'History of submissions',
        tags: ['Submissions'],
        querystring: ListQuery,
        response: LIST_RESPONSES,
      },
    },
    async (request) => {
      return success(
        request.id,
        'Your submissions.',
        await listSubmissions(request.db, request.principal.account.id, request.query),
      );
    },
  );

  app.get<{ Querystring: DetailQuery; Params: { reference: string } }>(
    '/submissions/:reference',
    {
      preValidation: parseQueryNumbers('url_page', 'url_limit'),
      schema: {
        operationId: 'getSubmission',
        summary: 'A submission and its URLs',
        tags: ['Submissions'],
        params: {
          type: 'object',
          properties: { reference: { type: 'string', description: 'data.reference of an accepted submission.' } },
          required: ['reference'],
        },
        querystring: DetailQuery,
        response: DETAIL_RESPONSES,
      },
    },
    async (request) => {
      const { account } = request.principal;
      const detail = await submissionDetail(request.db, account.id, request.params.reference, request.query);
      if (detail === null) throw new ApiError('submission_not_found');
      return success(request.id, `The submission is ${detail.status}.`, detail);
    },
  );
}
