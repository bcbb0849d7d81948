/** A long word, with the word before it where that says what it is. */
const TOKEN = /(?<label>\b(?:request|reference|job)(?: id)?:? )?(?<token>[a-z0-9_+-]{16,}={0,2})/gi;

export interface MaskOptions {
  /** Texts that are no secret wherever they stand, such as the folder of the configuration. */
  readonly keep?: readonly string[];
  /** Whole words that are no secrets: names of the configuration, ids of the service. */
  readonly ids?: ReadonlySet<string>;
}

/**
 * Masks possible API keys: a configuration may contain one where a name belongs, and no output may repeat it. Masks tokens
 * with the prefix of an API key, and long ones that mix upper case, lower case and digits. Ids of runs, requests and jobs stay
 * as they are: people paste them into commands and into letters to the service.
 */
export function maskSecrets(text: string, options: MaskOptions = {}): string {
  const { keep = [], ids } = options;
  const [kept, ...others] = keep.filter((each) => each !== '');
  if (kept !== undefined) {
    return text
      .split(kept)
      .map((part) => maskSecrets(part, { ...options, keep: others }))
      .join(kept);
  }
  return text.replace(TOKEN, (all: string, label: string | undefined, token: string) =>
    ids?.has(token) !== true && isKeyLike(token, label) ? `${label ?? ''}[secret]` : all,
  );
}

/** Such words are keys, whatever stands before them. */
const KEY_PREFIX = /^(?:usk|sk|rk|pk|gh[opsu]|glpat|xox[abeprs]|npm|pat|pass|key|api|apikey|token|secret|bearer)[_-]/i;
/** Ids of requests, jobs, checks and the like begin so at many services. */
const ID_PREFIX = /^(?:req|sub|job|chk|run|batch|ref|evt|acct?|trace)_/;
/** In the name of a run: "2026-11-23T181500". */
const DATE = /\d{4}-\d{2}-\d{2}(?:T\d{2,6}Z?)?/;
/** Letters and digits without a pause, which a name such as "spring_2026_landing_pages" has not. */
const RANDOM = /(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{16,}/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function isKeyLike(token: string, label: string | undefined): boolean {
  if (!KEY_PREFIX.test(token) && (label !== undefined || ID_PREFIX.test(token) || UUID.test(token))) return false;
  const rest = token.replace(DATE, '');
  if (/^[a-z]{2,6}_/.test(rest) && /\d/.test(rest)) return /[A-Z]/.test(rest) || RANDOM.test(rest);
  return rest.length >= 20 && /[A-Z]/.test(rest) && /[a-z]/.test(rest) && /\d/.test(rest);
}
