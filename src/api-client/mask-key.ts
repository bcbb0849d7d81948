import type { Exchange } from './transport.ts';

/** A shorter key would mask ordinary text; real keys are long. */
const SHORTEST = 8;

/**
 * Removes the key from a response: a service may repeat it, in a header, in a text or in a field of its error. A service may
 * escape some of its characters: `/` as `\/` and `+` as `\u002B` in JSON, as `%2B` in an address, as `&#43;` in HTML.
 */
export function maskKey(exchange: Exchange, key: string | null): Exchange {
  if (key === null || key.length < SHORTEST) return exchange;
  const pattern = getPattern(key);
  return maskTexts(exchange, (text) => text.replace(pattern, '[API key]'));
}

let last = { key: '', pattern: /(?!)/g };

/** A client has one key for all its requests. */
function getPattern(key: string): RegExp {
  if (last.key !== key) last = { key, pattern: new RegExp([...key].map(toForms).join(''), 'g') };
  return last.pattern;
}

/** A character as it is or escaped, as a regular expression. A header can carry the key, so it is ASCII (`sendable`). */
function toForms(character: string): string {
  const code = character.charCodeAt(0);
  const hex = [...code.toString(16).padStart(2, '0')]
    .map((digit) => (digit === digit.toUpperCase() ? digit : `[${digit}${digit.toUpperCase()}]`))
    .join('');
  const self = `\\u00${code.toString(16).padStart(2, '0')}`;
  const escaped = [...('"\\/'.includes(character) ? [`\\\\${self}`] : []), `\\\\u00${hex}`, `%${hex}`];
  return `(?:${[self, ...escaped, `&#0*${code};`, `&#[xX]0*${hex};`].join('|')})`;
}

function maskTexts<Value>(value: Value, mask: (text: string) => string): Value {
  if (typeof value === 'string') return mask(value) as Value;
  if (Array.isArray(value)) return value.map((each: unknown) => maskTexts(each, mask)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [maskTexts(name, mask), maskTexts(each, mask)]),
  ) as Value;
}
