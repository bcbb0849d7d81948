import { decodeEntities } from './entities.ts';
import { parseAttributes } from './markup.ts';

/** An item of RSS or an entry of Atom as it is read: its direct children that can name the page or its date. */
export class FeedItem {
  readonly name: string;
  /** The prefix of its element, with the colon. Its own fields have the same; those of extensions do not. */
  readonly prefix: string;
  readonly #bases: string[];
  readonly #about: string;
  /** Texts of fields by local name; the first of each that is not empty. */
  readonly #texts = new Map<string, string>();
  readonly #links: { readonly href: string; readonly type: string; readonly base: string | undefined }[] = [];
  /** The direct child that is open, and how often its own name is open inside it. */
  #field:
    | { readonly name: string; readonly local: string; depth: number; text: string; hasMarkup: boolean }
    | undefined;

  constructor(name: string, attributes: string, bases: readonly string[]) {
    const found = readAttributes(attributes);
    this.name = name;
    this.prefix = getPrefix(name);
    this.#bases = withBase(bases, found);
    this.#about = [...found].find(([key]) => getLocalName(key) === 'about')?.[1] ?? '';
  }

  get isInField(): boolean {
    return this.#field !== undefined;
  }

  open(name: string, attributes: string, isSelfClosing: boolean): void {
    if (this.#field !== undefined) {
      this.#field.hasMarkup = true;
      if (name === this.#field.name && !isSelfClosing) this.#field.depth += 1;
      return;
    }
    const local = getLocalName(name);
    if (local === 'link' && getPrefix(name) === this.prefix) this.#addLink(readAttributes(attributes));
    if (local === 'guid' && readAttributes(attributes).get('ispermalink')?.toLowerCase() === 'false') {
      if (!isSelfClosing) this.#field = { name, local: 'opaque guid', depth: 1, text: '', hasMarkup: false };
      return;
    }
    if (!isSelfClosing) this.#field = { name, local, depth: 1, text: '', hasMarkup: false };
  }

  /** Returns false for an end tag that closes nothing in this item. Markup inside of a field may be left unclosed. */
  close(name: string): boolean {
    const field = this.#field;
    if (field === undefined) return false;
    if (name !== field.name) return true;
    field.depth -= 1;
    if (field.depth > 0) return true;
    this.#field = undefined;
    const text = field.text.trim();
    const isOwn = getPrefix(name) === this.prefix || DATES.includes(field.local);
    if (text !== '' && isOwn && !field.hasMarkup && !this.#texts.has(field.local)) this.#texts.set(field.local, text);
    return true;
  }

  text(text: string, isCdata: boolean, onStrayEntity: (entity: string) => void): void {
    const field = this.#field;
    if (field === undefined || !TEXTS.includes(field.local) || field.hasMarkup) return;
    const onStray = field.local === 'link' || field.local === 'guid' ? onStrayEntity : () => {};
    field.text += isCdata ? text : decodeEntities(text, onStray);
  }

  /** The URL of the page as written, or '' when the item has none; and what it may be resolved against. */
  getRssPage(): FeedPage {
    const guid = this.#texts.get('guid') ?? '';
    const link = this.#texts.get('link') ?? (/^https?:\/\//i.test(guid) ? guid : this.#about);
    return { loc: link, bases: this.#bases, date: this.#getDate(['pubdate', 'date']) };
  }

  getAtomPage(): FeedPage {
    // An alternate that is not a page (JSON, PDF) is used only when there is none for people.
    const link = this.#links.find(({ type }) => type === '' || /html/i.test(type)) ?? this.#links[0];
    const bases = link?.base === undefined ? this.#bases : [...this.#bases, link.base];
    const date = this.#getDate(['updated', 'modified', 'published', 'issued', 'created']);
    return { loc: link?.href ?? '', bases, date };
  }

  #addLink(attributes: ReadonlyMap<string, string>): void {
    const href = attributes.get('href') ?? '';
    if (href === '' || (attributes.get('rel') ?? 'alternate') !== 'alternate') return;
    this.#links.push({ href, type: attributes.get('type') ?? '', base: attributes.get('xml:base') });
  }

  #getDate(names: readonly string[]): string | null {
    for (const name of names) {
      const text = this.#texts.get(name);
      if (text !== undefined) return text;
    }
    return null;
  }
}

export interface FeedPage {
  readonly loc: string;
  readonly bases: readonly string[];
  readonly date: string | null;
}

const DATES = ['date'];
const TEXTS = ['link', 'guid', 'pubdate', 'date', 'updated', 'modified', 'published', 'issued', 'created'];

/** The attributes of a tag, decoded, their names in lower case. */
export function readAttributes(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of parseAttributes(text)) {
    found.set(name.toLowerCase(), decodeEntities(value, () => {}).trim());
  }
  return found;
}

export function withBase(bases: readonly string[], attributes: ReadonlyMap<string, string>): string[] {
  const base = attributes.get('xml:base');
  return base === undefined ? [...bases] : [...bases, base];
}

export const getLocalName = (name: string) => name.slice(name.indexOf(':') + 1).toLowerCase();
const getPrefix = (name: string) => name.slice(0, name.indexOf(':') + 1);
