// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import { SUBMISSION } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { TRUSTS_REFUSAL } from './second-layers.ts';

/** The answer table. */
export const ANSWER_TABLE: readonly Mutation[] = [
  {
    name: 'takes a 503 for an answer that rules out a charge',
    file: `${SUBMISSION}/refusal.ts`,
    from: 'unknown(answer, `the service is not available${said}`);',
    to: "retry('unavailable', 'none', retryAfterMs, said);",
    needs: ['lost, cancelled'],
  },
  {
    name: 'takes a lost connection for a request that was not sent',
    file: `${SUBMISSION}/refusal.ts`,
    from: 'return body.reached\n',
    to: 'return body.reached && status === 1\n',
    needs: ['lost, cancelled'],
  },
  {
    name: 'trusts a 422 while an earlier attempt is in doubt',
    file: `${SUBMISSION}/refusal.ts`,
    from: 'return whenCertain(invalid(body.error, request, said), request);',
    to: 'return invalid(body.error, request, said) as never;',
    also: [TRUSTS_REFUSAL],
    needs: ['lost, then split'],
  },
];
