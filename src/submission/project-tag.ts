import { DEFAULT_PROJECT, LIMITS } from '../../contract/limits.ts';

/** 14 hexadecimal digits: among five million batches, the probability that two share a tag is 1 in 5,000. */
const TAG = /\[(sc[0-9a-f]{14})\]$/;
const TAG_LENGTH = 16;
/** Of " [sc0f3a…]", behind the name. */
export const TAG_SUFFIX_LENGTH = TAG_LENGTH + ' []'.length;

/**
 * A project name with the batch's tag at its end: "Shop nightly [sc0f3a…]". The tag finds a job whose response was lost
 * (`q` of spec 4.5). Stays within 2 to 120 characters, counted as code points or as UTF-16 units.
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

/** Normalizes a configured project: one line, trimmed, without lone surrogates. */
export function normalizeProject(project: string): string {
  const name = project
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return name === '' ? DEFAULT_PROJECT : name;
}

/** The tag at the end of a project name; null without one, as in another client's job. */
export function parseTag(project: string): string | null {
  return TAG.exec(project.trimEnd())?.[1] ?? null;
}

/** Whether a job's project is this one, with or without a batch's tag. */
export function isProjectOf(project: string, reported: string): boolean {
  const tag = parseTag(reported);
  return tag === null
    ? normalizeProject(reported) === normalizeProject(project)
    : taggedProject(project, tag) === reported.trimEnd();
}

/** Whether a service that shortens names, or shows them in other letter case, may show a batch's project like this. */
export function mayBeProjectOf(project: string, reported: string): boolean {
  const name = `${normalizeProject(project).toLowerCase()} [sc`;
  const shown = normalizeProject(reported).toLowerCase();
  return name.startsWith(shown) || shown.startsWith(name);
}

/** A tag from a digest's hexadecimal digits. */
export function tagFrom(hex: string): string {
  return `sc${hex.slice(0, TAG_LENGTH - 2)}`;
}
