import { createHash } from 'node:crypto';
import type { Edit } from './edit.ts';

/** A change that nobody chose. */
export interface Mutation extends Edit {
  /**
   * Names the file, the function around it, the operator, and a digest of what changes: the same after an edit anywhere
   * else, so that a judgement stays with it.
   */
  readonly id: string;
  /** Relative to the tree. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line that changes, as it is and as it would be. */
  readonly before: string;
  readonly shown: string;
}

const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

export interface PlacedEdit extends Edit {
  /** The functions and constants around it, joined with dots. */
  readonly scope: string;
}

/** Names each change of a file; of two that make the same text only the first stays. */
export function nameMutations(file: string, text: string, edits: readonly PlacedEdit[]): Mutation[] {
  const seen = new Map<string, number>();
  const made = new Set<string>();
  const named: Mutation[] = [];
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const { operator, start, end, after, at, scope } = edit;
    const result = digest(text.slice(0, start) + after + text.slice(end));
    if (text.slice(start, end) === after || made.has(result)) continue;
    made.add(result);
    const what = `${scope}\0${operator}\0${squeeze(text.slice(start, end))}\0${squeeze(after)}`;
    const times = seen.get(what) ?? 0;
    seen.set(what, times + 1);
    const id = `${file}#${scope}:${operator}:${digest(`${what}\0${times}`).slice(0, 8)}`;
    named.push({ id, file, operator, start, end, after, at, ...showLines(text, edit) });
  }
  return named;
}

function showLines(text: string, { start, end, after }: Edit): Pick<Mutation, 'line' | 'before' | 'shown'> {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', end);
  const to = next === -1 ? text.length : next;
  return {
    line: text.slice(0, start).split('\n').length,
    before: squeeze(text.slice(from, to)),
    shown: squeeze(text.slice(from, start) + after + text.slice(end, to)),
  };
}

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

export const mutateText = (text: string, { start, end, after }: Edit): string =>
  text.slice(0, start) + after + text.slice(end);

/** So many of the mutations, drawn by a seed: an edit of the code changes few members of a sample. */
export function drawSample(mutations: readonly Mutation[], size: number, seed: string): Mutation[] {
  const ranked = mutations.map((mutation) => ({ mutation, rank: digest(`${seed}\0${mutation.id}`) }));
  return ranked
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutation }) => mutation);
}
