import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { MUTATIONS } from './table/index.ts';
import type { Mutation } from './table/mutation.ts';

const ROOT = new URL('../../../', import.meta.url);

interface Place {
  readonly name: string;
  readonly url: string;
  /** Of a character in the file. */
  readonly offset: number;
}

/** Where a seed passes before the defect can change anything: one of its places. */
function listPlaces({ name, also = [], ...first }: Mutation): Place[] {
  return [first, ...also].map(({ file, from, actsAtEnd = false }) => {
    const url = new URL(file, ROOT);
    const offset = readFileSync(fileURLToPath(url), 'utf8').indexOf(from);
    return { name, url: url.href, offset: actsAtEnd ? offset + from.length - 1 : offset };
  });
}

/**
 * Counts which code runs. A seed that does not run the place of a mutation has the same trace with it as without it: it
 * cannot find it, and need not be played with it. Created before the code under simulation is loaded.
 */
export class Reach {
  readonly #session = new Session();
  readonly #places = MUTATIONS.flatMap(listPlaces);

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Names of the mutations whose place has run since the last call. */
  take(): string[] {
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    // Answers before it returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error) throw error;
      scripts = taken.result;
    });
    const byUrl = new Map(scripts.map((script) => [script.url, script]));
    const passed = this.#places.filter(({ url, offset }) => countAt(byUrl.get(url), offset) > 0);
    return [...new Set(passed.map(({ name }) => name))];
  }
}

/** How often the smallest counted range around a character ran. */
function countAt(script: Profiler.ScriptCoverage | undefined, offset: number): number {
  let smallest: Profiler.CoverageRange | null = null;
  for (const range of (script?.functions ?? []).flatMap(({ ranges }) => ranges)) {
    if (range.startOffset > offset || range.endOffset <= offset) continue;
    if (smallest === null || range.endOffset - range.startOffset <= smallest.endOffset - smallest.startOffset) {
      smallest = range;
    }
  }
  return smallest?.count ?? 0;
}
