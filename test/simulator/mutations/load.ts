import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { MUTATIONS, type Mutation } from './table.ts';

const ROOT = new URL('../../../', import.meta.url);

export function findMutation(name: string): Mutation {
  const found = MUTATIONS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no mutation is called "${name}"`);
  return found;
}

/** The file's text with the defect. Throws when the text to replace is not there exactly once. */
export function mutate({ name, file, from, to }: Mutation): string {
  const parts = readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8').split(from);
  if (parts.length !== 2) throw new Error(`"${name}": ${file} has its text ${parts.length - 1} times, not once`);
  return parts.join(to);
}

/** Gives the file with the defect to whoever imports it, in this process alone: the tree stays as it is. */
export function loadMutated(mutation: Mutation): void {
  const url = new URL(mutation.file, ROOT).href;
  const text = mutate(mutation);
  registerHooks({
    load(loaded, context, next) {
      if (loaded !== url) return next(loaded, context);
      return { format: 'module-typescript', source: text, shortCircuit: true };
    },
  });
}
