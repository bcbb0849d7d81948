import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { MUTATIONS } from './table/index.ts';
import type { Mutation } from './table/mutation.ts';

const ROOT = new URL('../../../', import.meta.url);

export function findMutation(name: string): Mutation {
  const found = MUTATIONS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no mutation is called "${name}"`);
  return found;
}

/** Each file's text with the defect. Throws when a text to replace is not there exactly once. */
export function mutate({ name, also = [], ...first }: Mutation): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, from, to } of [first, ...also]) {
    const parts = (texts.get(file) ?? readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8')).split(from);
    if (parts.length !== 2) throw new Error(`"${name}": ${file} has its text ${parts.length - 1} times, not once`);
    texts.set(file, parts.join(to));
  }
  return texts;
}

/** Gives the files with the defect to whoever imports them, in this process alone: the tree stays as it is. */
export const loadMutated = (mutation: Mutation): void => loadTexts(mutate(mutation));

/** The same for other texts, by file relative to the tree. */
export function loadTexts(changed: ReadonlyMap<string, string>): void {
  const texts = new Map([...changed].map(([file, text]) => [new URL(file, ROOT).href, text]));
  registerHooks({
    load(loaded, context, next) {
      const source = texts.get(loaded);
      if (source === undefined) return next(loaded, context);
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}
