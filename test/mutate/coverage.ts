import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../suites.ts';
import type { Mutation } from './mutation.ts';

/** Which characters of which files ran: by file, pairs of a start and an end, in order. */
export type Ran = Readonly<Record<string, readonly number[]>>;

/** What V8 counted, of files of the tree that are no tests. */
export function toRan(scripts: readonly Profiler.ScriptCoverage[]): Ran {
  const ran: Record<string, readonly number[]> = {};
  for (const { url, functions } of scripts) {
    const file = toFile(url);
    if (file !== null) ran[file] = flatten(functions.flatMap(({ ranges }) => ranges));
  }
  return ran;
}

export function toFile(url: string): string | null {
  if (!url.startsWith('file://') || url.includes('/node_modules/')) return null;
  const file = relative(ROOT, fileURLToPath(url)).replaceAll(sep, '/');
  return file.startsWith('..') ? null : file;
}

/** Ranges lie within each other: the innermost around a character counts. */
function flatten(ranges: readonly Profiler.CoverageRange[]): number[] {
  const flat: number[] = [];
  const open: Profiler.CoverageRange[] = [];
  let at = 0;
  const go = (to: number) => {
    if (to > at && (open.at(-1)?.count ?? 0) > 0) {
      if (flat.at(-1) === at) flat[flat.length - 1] = to;
      else flat.push(at, to);
    }
    at = Math.max(at, to);
  };
  const close = (until: number) => {
    for (let last = open.at(-1); last !== undefined && last.endOffset <= until; last = open.at(-1)) {
      go(last.endOffset);
      open.pop();
    }
  };
  for (const range of ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)) {
    close(range.startOffset);
    go(range.startOffset);
    open.push(range);
  }
  close(Number.POSITIVE_INFINITY);
  return flat;
}

export function hasRun(ran: Ran, { file, at }: Pick<Mutation, 'file' | 'at'>): boolean {
  const flat = ran[file];
  if (flat === undefined) return false;
  if (at === null) return true;
  for (let n = 0; n < flat.length; n += 2) if (flat[n]! <= at && at < flat[n + 1]!) return true;
  return false;
}

/** Counts which code of this process runs. Created before the code is loaded. */
export class Coverage {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** What ran since the last call. */
  take(): Ran {
    let ran: Ran = {};
    // Answers before it returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error) throw error;
      ran = toRan(taken.result);
    });
    return ran;
  }
}
