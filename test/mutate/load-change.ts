import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTexts } from '../simulator/mutations/load.ts';
import { ROOT } from '../suites.ts';
import { type Mutation, mutateText } from './mutation.ts';

/** What another process needs to know of a mutation. */
export type Change = Pick<Mutation, 'file' | 'operator' | 'start' | 'end' | 'after' | 'at'>;

export const toChange = ({ file, operator, start, end, after, at }: Mutation): Change => {
  return { file, operator, start, end, after, at };
};

/** Gives a file with the change to whoever imports it, in this process alone. */
export function loadChange(change: Change): void {
  loadTexts(new Map([[change.file, mutateText(readFileSync(join(ROOT, change.file), 'utf8'), change)]]));
}
