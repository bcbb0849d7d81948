/** Markup that may be put into a page as it is. Everything else is text and is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | null | readonly (Html | null)[];

/** Builds markup; whatever is not markup is escaped, in texts and in quoted attributes alike. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.reduce((all, text, at) => all + render(parts[at - 1] ?? '') + text));

function render(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map((each) => each?.text ?? '').join('');
  return escapeText(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control characters, and those that turn the direction of a text around, are shown as what they are. */
const escapeText = (text: string): string =>
  text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) =>
      character === '\n' || character === '\t' ? ' ' : '\ufffd',
    );
