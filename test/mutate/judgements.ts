import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const JUDGEMENTS = ['equal', 'second layer', 'system test'] as const;

/** Why a mutation may survive. A missing test is no reason: it is written. */
export interface Judgement {
  /**
   * `equal`: no input shows a difference, in what is bought, recorded or said. `second layer`: another place holds the
   * promise, which `why` names. `system test`: a test that needs a server fails, which `why` names.
   */
  readonly is: (typeof JUDGEMENTS)[number];
  readonly why: string;
}

/** By the id of the mutation. */
export function readJudgements(): Readonly<Record<string, Judgement>> {
  const file = fileURLToPath(new URL('./judgements.json', import.meta.url));
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Judgement>;
}
