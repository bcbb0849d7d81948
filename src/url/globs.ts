import picomatch from 'picomatch';

/** A URL path may hold a dot file, and its case means something. */
const OPTIONS = { dot: true, nocase: false, nobrace: false } as const;

/**
 * One matcher for a list of globs over URL paths. `/a` is that path, `/a/**` that path and all below it; these two
 * kinds, nearly all there are, cost a comparison. Characters that a URL percent-encodes match their encoded form.
 */
export function compileGlobs(globs: readonly string[]): (path: string) => boolean {
  const exact = new Set<string>();
  const folders: string[] = [];
  const patterns: ((path: string) => boolean)[] = [];
  for (const glob of globs) {
    const pattern = toPattern(glob);
    const folder = getFolder(pattern);
    if (isLiteral(pattern)) exact.add(pattern);
    else if (folder !== null) folders.push(folder);
    else patterns.push(picomatch(pattern, OPTIONS));
  }
  const below = folders.map((folder) => `${folder}/`);
  return (path) =>
    exact.has(path) ||
    below.some((prefix, at) => path.startsWith(prefix) || path === folders[at]) ||
    patterns.some((matches) => matches(path));
}

/** Why no URL path can match a glob, and what to write instead; null when one can. */
export function findGlobProblem(glob: string): string | null {
  if (glob.includes('#')) return 'no URL matches it: a fragment never reaches a server. Leave "#" and the rest out';
  if (/\?[^/?=]+=/.test(glob))
    return 'no URL matches it: globs are over the path, without the query. End it before "?"';
  if (/^\*(?!\*)[^/]/.test(glob)) return `no URL matches it: every path begins with "/". Write "/**/${glob}"`;
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(glob)) return 'no URL matches it: "." and ".." are resolved first. Leave them out';
  const open = findUnclosed(glob);
  return open === null
    ? null
    : `no URL matches it: "${open}" is not closed. Close it, or write "\\${open}" for the character`;
}

/** The exclude glob that leaves nothing of an include glob; null when a URL can match the include glob alone. */
export function findCover(include: string, exclude: readonly string[]): string | null {
  const pattern = toPattern(include);
  // What every path that matches begins with.
  const start = getFolder(pattern) ?? (isLiteral(pattern) ? pattern : pattern.replace(/[^/]*[*?[{(!+@\\].*$/s, ''));
  const covers = (glob: string): boolean => {
    const other = toPattern(glob);
    if (other === pattern || other === '**') return true;
    const folder = getFolder(other);
    return folder !== null && (start === folder || start.startsWith(`${folder}/`));
  };
  return exclude.find(covers) ?? null;
}

const toPattern = (glob: string): string => percentEncoded(/^[/*]/.test(glob) ? glob : `/${glob}`);

const isLiteral = (pattern: string) => !/[*?[\]{}()!+@\\]/.test(pattern);

/** `/a` of `/a/**`; null for another kind of glob. */
function getFolder(pattern: string): string | null {
  const folder = /^(.*)\/\*\*$/.exec(pattern)?.[1];
  return folder !== undefined && isLiteral(folder) ? folder : null;
}

const percentEncoded = (glob: string) =>
  glob.replace(/[^\p{ASCII}]+|[ "<>`]/gu, (text) => encodeURIComponent(text.toWellFormed()));

const CLOSED_BY: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' };

/** The first bracket that is opened and never closed: picomatch reads it as the character itself. */
function findUnclosed(glob: string): string | null {
  const text = glob.replaceAll(/\\./g, '');
  const opened: string[] = [];
  for (const character of text) {
    const within = opened.at(-1);
    if (within !== undefined && character === CLOSED_BY[within]) opened.pop();
    else if (within !== '[' && character in CLOSED_BY) opened.push(character);
  }
  return opened[0] ?? null;
}
