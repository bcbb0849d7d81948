/** Code that is nobody's: generate.test.ts says which mutations it has. */
import { sql } from '../../src/database/sql.ts';

type State = 'first' | 'next' | 'over';

interface Options {
  readonly most?: number;
  readonly state: State;
}

const LIMIT = 500;

export async function compare(a: number, b: number | null, run: (state: State) => Promise<number>): Promise<number> {
  if (a < LIMIT && b !== null) return a;
  const found = await run('next');
  await run('over');
  console.log(`a sentence with ${a + 1} blanks`);
  return found + (b ?? Math.max(a, 2));
}

export const build = (a: number | null): Options => ({ state: 'first', ...(a === null ? {} : { most: a }) });

export const isOver = ({ state }: Options, all: readonly number[]): boolean =>
  !all.some((each) => each > 1) && state === 'over';

export function fail(count: number): void {
  if (count > 0) throw new RangeError(`too many: ${count + 1}`);
}

export const select = (id: number) => sql`SELECT id FROM batches WHERE id = ${id + 1} AND state = 'planned'`;
