import picomatch from 'picomatch';

/** A URL path may hold a dot file, and its case means something. */
const OPTIONS = { dot: true, nocase: false, nobrace: false } as const;

/**
 * One matcher for a list of globs over URL paths. `/a` is that path, `/a/**` that path and all below it; these two
 * kinds, nearly all there are, cost a comparison. Characters outside ASCII match their percent-encoded form.
 */
export function compileGlobs(globs: readonly string[]): (path: string) => boolean {
  const exact = new Set<string>();
  const folders: string[] = [];
  const patterns: ((path: string) => boolean)[] = [];
  for (const glob of globs) {
    const pattern = percentEncoded(glob.startsWith('/') || glob.startsWith('*') ? glob : `/${glob}`);
    const folder = /^(.*)\/\*\*$/.exec(pattern)?.[1];
    if (isLiteral(pattern)) exact.add(pattern);
    else if (folder !== undefined && isLiteral(folder)) folders.push(folder);
    else patterns.push(picomatch(pattern, OPTIONS));
  }
  const below = folders.map((folder) => `${folder}/`);
  return (path) =>
    exact.has(path) ||
    below.some((prefix, at) => path.startsWith(prefix) || path === folders[at]) ||
    patterns.some((matches) => matches(path));
}

const isLiteral = (pattern: string) => !/[*?[\]{}()!+@\\]/.test(pattern);

const percentEncoded = (glob: string) =>
  glob.replace(/[^\p{ASCII}]+/gu, (text) => encodeURIComponent(text.toWellFormed()));
