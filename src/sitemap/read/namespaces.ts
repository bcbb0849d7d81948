import { parseAttributes } from './markup.ts';

export const SITEMAP_NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const NEARLY = /^https?:\/\/(www\.)?(sitemaps\.org\/schemas?\/sitemap|google\.com\/schemas\/sitemap)\/0\.\d+\/?$/i;
/** Prefixes of extensions. Images and videos have a loc too, which is not a page even under a wrong namespace. */
const EXTENSIONS = new Set(['image', 'video', 'news', 'xhtml', 'mobile', 'pagemap']);

interface Scope {
  /** Depth of the element that declares. */
  readonly depth: number;
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Decides which elements belong to the sitemap itself: those in the namespace of the root, in that of the protocol, in
 * none, or with the prefix of the root if it is not declared. Everything else is an extension and never a page.
 */
export class Namespaces {
  #scopes: Scope[] = [];
  #rootPrefix = '';
  #rootNamespace: string | undefined;
  readonly #answers = new Map<string, boolean>();
  /** A prefix that is declared here; '' before one is known. */
  #declared = '';
  /** Whether a name without prefix belongs, here. */
  plain = true;
  /** Depth of the innermost element that declares a namespace; 0 when none does. */
  innermost = 0;

  /** Call for a start tag that holds `xmlns`, before its own name is resolved. */
  declare(depth: number, tag: string): void {
    const names = new Map<string, string>();
    for (const [name, value] of parseAttributes(tag)) {
      if (name === 'xmlns') names.set('', value.trim());
      else if (name.startsWith('xmlns:')) names.set(name.slice(6), value.trim());
    }
    if (names.size === 0) return;
    this.#scopes.push({ depth, names });
    this.#changed();
  }

  /** Call when the element at `innermost` is closed. */
  close(depth: number): void {
    while (this.#scopes.at(-1)?.depth === depth) this.#scopes.pop();
    this.#changed();
  }

  /** Sets the prefix of the root. Returns its namespace, '' for none. */
  setRoot(prefix: string): string {
    this.#rootPrefix = prefix;
    this.#rootNamespace = this.#resolve(prefix);
    this.#changed();
    return this.#rootNamespace ?? '';
  }

  /** Whether the prefix from `from` to `to` is declared. Tags of an extension come one after another: no string is made then. */
  isDeclared(text: string, from: number, to: number): boolean {
    if (to - from === this.#declared.length && text.startsWith(this.#declared, from)) return true;
    const prefix = text.slice(from, to);
    if (prefix !== 'xml' && this.#resolve(prefix) === undefined) return false;
    this.#declared = prefix;
    return true;
  }

  /** Whether a name with this prefix belongs. */
  prefixed(prefix: string): boolean {
    let answer = this.#answers.get(prefix);
    if (answer === undefined) {
      answer = this.#judge(prefix);
      if (this.#answers.size < 1_000) this.#answers.set(prefix, answer);
    }
    return answer;
  }

  #judge(prefix: string): boolean {
    if (prefix !== this.#rootPrefix && EXTENSIONS.has(prefix)) return false;
    const namespace = this.#resolve(prefix);
    if (namespace === undefined) return prefix === this.#rootPrefix;
    return namespace === this.#rootNamespace || namespace === '' || NEARLY.test(namespace);
  }

  #resolve(prefix: string): string | undefined {
    const scope = this.#scopes.findLast(({ names }) => names.has(prefix));
    return scope?.names.get(prefix) ?? (prefix === '' ? '' : undefined);
  }

  #changed(): void {
    this.innermost = this.#scopes.at(-1)?.depth ?? 0;
    this.#answers.clear();
    this.#declared = '';
    this.plain = this.#judge('');
  }
}
