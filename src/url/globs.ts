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

/** What is wrong with a glob or a host, and what was probably meant: the likeliest first. */
export interface PatternProblem {
  readonly says: string;
  readonly write: readonly string[];
}

/** Why no URL path can match a glob; null when one can. */
export function findGlobProblem(glob: string): PatternProblem | null {
  if (glob !== glob.trim()) return { says: 'no URL matches it: it ends with a space', write: [glob.trim()] };
  if (isRegex(glob))
    return { says: 'no URL matches it: it is a regular expression, not a glob', write: toGlobs(glob).write };
  if (glob.includes('#'))
    return { says: 'no URL matches it: a fragment never reaches a server', write: [glob.replace(/#.*/s, '')] };
  if (/\?[^/?=]+=/.test(glob))
    return {
      says: 'no URL matches it: globs are over the path, without the query',
      write: [glob.replace(/\?[^/?=]+=.*/s, '')],
    };
  if (/^\*(?!\*)[^/]/.test(glob))
    return { says: 'no URL matches it: every path begins with "/"', write: [`/**/${glob}`] };
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(glob))
    return { says: 'no URL matches it: "." and ".." are resolved first; leave them out', write: [] };
  const open = findUnclosed(glob);
  if (open === null) return null;
  const { at, character } = open;
  return {
    says: `no URL matches it: "${character}" is not closed: close it, or escape it`,
    write: [`${glob.slice(0, at)}\\${glob.slice(at)}`],
  };
}

/** What is wrong with a text that should be a glob and begins with neither "/" nor "*". */
export function toGlobs(text: string): PatternProblem {
  if (isRegex(text)) {
    const glob = fromRegex(text);
    return { says: 'is a regular expression, not a glob', write: glob === null ? [] : [glob] };
  }
  const marked = /^(?:re|regexp?):(.*)$/is.exec(text)?.[1];
  if (marked !== undefined) {
    const glob = fromRegex(marked);
    return { says: 'is a regular expression, not a glob', write: glob === null ? [] : [glob] };
  }
  if (text.startsWith('!')) return { says: 'begins with "!", which turns no glob around here', write: [] };
  if (/^\s+[/*]/.test(text)) return { says: 'begins with a space', write: [text.trim()] };
  const address = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(.*)$/is.exec(text);
  if (address !== null) {
    const path = (address[1] ?? '').replace(/[?#].*/s, '');
    return { says: 'is an address; a glob is over the path alone', write: path === '' ? [] : [path] };
  }
  const says = 'is not a path: every path begins with "/"';
  if (text.trim() === '') return { says, write: [] };
  if (/^[^/]*\\/.test(text)) {
    const path = text.replaceAll(/\\+/g, '/');
    return { says, write: [path.startsWith('/') ? path : `/${path}`] };
  }
  // The host of the site, as people copy it from a browser.
  const path = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?::\d+)?(\/.*)$/is.exec(text)?.[1];
  if (/^www\.[^/]*$/i.test(text)) return { says, write: [] };
  return { says, write: [path ?? `/${text}`] };
}

const isRegex = (text: string): boolean => /^\/?\^|^\.[*+]|^\(\?|(?:\.[*+]|\\[.dw/]).*\$$/s.test(text);

/** Stands for any segment of a path, where one is taken apart at its slashes. */
const SEGMENT = '\0';

/** A regular expression as a glob, where it is a path with anchors, any segment or everything below; else null. */
function fromRegex(text: string): string | null {
  const isWhole = text.endsWith('$');
  const bare = text
    .replace(/^\/?\^/, '')
    .replace(/\$$/, '')
    .replaceAll('\\/', '/')
    .replaceAll('\\-', '-')
    .replaceAll(/\[\^\/\][*+]/g, SEGMENT);
  const folder = /^(.*)\/(?:\.[*+])?$/s.exec(bare)?.[1];
  const isFolder = folder !== undefined && (!isWhole || bare.length > folder.length + 1);
  if (!isFolder && !isWhole) return null;
  const parts = (isFolder ? folder : bare).split('/').map((part) => (part === SEGMENT ? '*' : toLiteral(part)));
  if (parts[0] !== '' || parts.includes(null)) return null;
  return `${parts.join('/')}${isFolder ? '/**' : ''}`;
}

/** The text that a part of a regular expression stands for; null where it stands for several. */
function toLiteral(part: string): string | null {
  const literal = part.replaceAll('\\.', '.');
  return /[\\^$*+?()[\]{}|]/.test(literal) ? null : literal;
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

interface Bracket {
  readonly at: number;
  readonly character: string;
}

/** The first bracket that is opened and never closed: picomatch reads it as the character itself. */
function findUnclosed(glob: string): Bracket | null {
  const text = glob.replaceAll(/\\./gs, '  ');
  const opened: Bracket[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const within = opened.at(-1)?.character;
    if (within !== undefined && character === CLOSED_BY[within]) opened.pop();
    else if (within !== '[' && Object.hasOwn(CLOSED_BY, character)) opened.push({ at, character });
  }
  return opened[0] ?? null;
}
