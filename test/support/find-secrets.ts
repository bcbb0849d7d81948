/** The shortest part of a secret that counts: a text cut off in the middle of a key still gives it away. */
const PART = 20;

/**
 * Names the secrets that `bytes` holds, whole or cut off at either end, and how they are written: as they are, or in base64,
 * hex or URL encoding, as in the payloads of a history or in a query.
 */
export function findSecrets(bytes: Buffer | string, secrets: Readonly<Record<string, string>>): string[] {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  const found = Object.entries(secrets).flatMap(([name, secret]) =>
    listForms(secret)
      .filter(([, form]) => text.includes(form))
      .map(([form]) => `${name} (${form})`),
  );
  return [...new Set(found)];
}

function listForms(secret: string): (readonly [string, string])[] {
  return [secret.slice(0, PART), secret.slice(-PART)].flatMap((part) => {
    const hex = Buffer.from(part).toString('hex');
    const base64 = [0, 1, 2].map((offset) => toBase64Inside(part, offset));
    return [
      ['as it is', part] as const,
      ['JSON', JSON.stringify(part).slice(1, -1)] as const,
      ['URL', encodeURIComponent(part)] as const,
      ['hex', hex] as const,
      ['hex', hex.toUpperCase()] as const,
      ...base64.map((each) => ['base64', each] as const),
      ...base64.map((each) => ['base64', each.replaceAll('+', '-').replaceAll('/', '_')] as const),
    ];
  });
}

/** The characters that `part` has in the base64 of a text in which it begins at a byte of this offset from a multiple of 3. */
function toBase64Inside(part: string, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(part)]);
  return text.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((text.length * 8) / 6));
}
