import type { ApiAnswer } from './answer.ts';

/** Error codes of a 409 for a request with this key that is still running. Every other conflict is final. */
const CODES = /in[_-]?progress|still[_-]?(running|processing)|concurrent|locked|being[_-]processed/i;

/**
 * Whether a 409 says that the same request is still running: a Retry-After or the error's code. The specification defines
 * neither (4.6 rule 3), so some services say it in their message alone, and the message counts where there is no other
 * sign. It is read narrowly: a conflict that is final must not be sent again and again.
 */
export function isStillRunning({ retryAfterMs, body }: Pick<ApiAnswer, 'retryAfterMs' | 'body'>): boolean {
  if (retryAfterMs !== null) return true;
  if (body.kind !== 'error') return false;
  const { code, message } = body.error;
  return CODES.test(code ?? '') || saysStillRunning(message);
}

const saysStillRunning = (message: string): boolean =>
  /\b(still (being )?(process|runn)|already being processed|in progress)/i.test(message);
