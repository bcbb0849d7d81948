import { DEFAULT_PROJECT, LIMITS } from '../../contract/limits.ts';

/** 14 hexadecimal digits: among five million batches two share a tag with a chance of 1 in 5,000. */
const TAG = /\[(sc[0-9a-f]{14})\]$/;
const TAG_LENGTH = 16;

/**
 * A project name with the batch's tag at its end: "Shop nightly [sc0f3a…]". A job whose answer was lost is found by
 * it (`q` of spec 4.5). Stays within 2 to 120 characters however they are counted: code points or UTF-16 units.
 */
export function taggedProject(project: string, tag: string): string {
  const length = LIMITS.projectLength.max - tag.length - ' []'.length;
  const name = normalizeProject(project);
  let cut = '';
  for (const character of name) {
    if (cut.length + character.length > length) break;
    cut += character;
  }
  return `${cut.trimEnd()} [${tag}]`;
}

/** The project as it was configured: one line, without spaces at its ends or halves of characters. */
export function normalizeProject(project: string): string {
  const name = project
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return name === '' ? DEFAULT_PROJECT : name;
}

/** The tag that a project name ends with; null when it has none, as the project of somebody else's job. */
export function parseTag(project: string): string | null {
  return TAG.exec(project.trimEnd())?.[1] ?? null;
}

/** Whether a job's project is this one, with a batch's tag at its end or without. */
export function isProjectOf(project: string, seen: string): boolean {
  const tag = parseTag(seen);
  return tag === null
    ? normalizeProject(seen) === normalizeProject(project)
    : taggedProject(project, tag) === seen.trimEnd();
}

/** A tag from hexadecimal digits of a digest. */
export function tagFrom(hex: string): string {
  return `sc${hex.slice(0, TAG_LENGTH - 2)}`;
}
