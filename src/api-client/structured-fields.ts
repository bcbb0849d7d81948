/** A member of a structured field (RFC 9651): `"name";r=50;t=30` or `name=value`. */
export interface Item {
  /** Without its quotes. */
  readonly name: string;
  /** In a dictionary member; null in a list. */
  readonly value: string | null;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Reads the lists and dictionaries of rate-limit headers. Skips members that cannot be read. */
export function readItems(text: string): Item[] {
  return split(text, ',').flatMap((member) => {
    const [head = '', ...rest] = split(member, ';');
    const [name = '', value = null] = split(head, '=');
    const plain = unquoted(name);
    if (plain === '') return [];
    const parameters: Record<string, string> = Object.create(null);
    for (const part of rest) {
      const [key = '', content = ''] = split(part, '=');
      parameters[key.trim().toLowerCase()] = unquoted(content);
    }
    return [{ name: plain, value: value === null ? null : unquoted(value), parameters }];
  });
}

function unquoted(text: string): string {
  const plain = text.trim();
  return plain.length >= 2 && plain.startsWith('"') && plain.endsWith('"') ? plain.slice(1, -1) : plain;
}

/** Splits at separators outside quotes. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let quoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"' && text[at - 1] !== '\\') quoted = !quoted;
    else if (text[at] === separator && !quoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part.trim() !== '');
}
