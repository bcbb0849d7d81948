/**
 * The cookies of one chain of redirects. Sites that check for a browser set one and redirect to the same address. They are
 * sent to the origin that set them and forgotten after the fetch.
 */
export class Cookies {
  readonly #byOrigin = new Map<string, Map<string, string>>();

  /** Stores what an answer sets. */
  store(origin: string, setCookie: string | string[] | undefined): void {
    const jar = this.#byOrigin.get(origin) ?? new Map<string, string>();
    for (const line of [setCookie ?? []].flat().slice(0, MAX_COOKIES)) {
      const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([^;\s]*)/.exec(line) ?? [];
      if (name === undefined || value === undefined || value.length > MAX_LENGTH || jar.size >= MAX_COOKIES) continue;
      jar.set(name, value);
    }
    if (jar.size > 0) this.#byOrigin.set(origin, jar);
  }

  /** The value of the Cookie header for an origin; '' when there is none. */
  get(origin: string): string {
    return [...(this.#byOrigin.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

const MAX_COOKIES = 50;
const MAX_LENGTH = 4_096;
