const TOKEN = /[A-Za-z0-9_+=-]{16,}/g;

/**
 * Masks possible API keys: a configuration may contain one where a name belongs, and no output may repeat it. Masks tokens
 * with the prefix of an API key, and long ones that mix upper case, lower case and digits. `keep`: texts that are no secret,
 * such as the folder of the configuration, whose name may look like one.
 */
export function maskSecrets(text: string, { keep = [] }: { readonly keep?: readonly string[] } = {}): string {
  const [kept, ...others] = keep.filter((each) => each !== '');
  if (kept !== undefined) {
    return text
      .split(kept)
      .map((part) => maskSecrets(part, { keep: others }))
      .join(kept);
  }
  return text.replace(TOKEN, (token) => (isKeyLike(token) ? '[secret]' : token));
}

const isKeyLike = (token: string): boolean =>
  /^[a-z]{2,6}_/.test(token) && /\d/.test(token)
    ? /[A-Z]/.test(token) || token.length >= 24
    : token.length >= 20 && /[A-Z]/.test(token) && /[a-z]/.test(token) && /\d/.test(token);
