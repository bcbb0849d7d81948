import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every Markdown page of the repository: those at the top and below docs/. */
export function listPages(): string[] {
  const below = (folder: string, recursive: boolean): string[] =>
    readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(root, folder, name));
  return [...below('.', false), ...below('docs', true)];
}
