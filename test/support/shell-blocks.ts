import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pages.ts';

/** A block of shell commands, or of lines for cron, in a document. */
export interface ShellBlock {
  readonly page: string;
  readonly line: number;
  /** One command each, without comments; lines that continue are joined. */
  readonly commands: readonly string[];
}

/** The README and the guides, relative to the root: what a reader types from. */
export const listGuides = (): string[] => [
  'README.md',
  ...readdirSync(join(root, 'docs/guides'))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `docs/guides/${name}`),
];

export function readShellBlocks(page: string): ShellBlock[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```(sh|crontab)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language, 2: code = '' }) => {
    const lines = code
      .replace(/ *\\\n */g, ' ')
      .split('\n')
      .map((line) => line.replace(/(^|\s+)# .*$/, '').trim())
      .filter((line) => line !== '');
    return {
      page,
      line: text.slice(0, index).split('\n').length,
      commands: language === 'crontab' ? lines.map((line) => line.replace(/^(\S+\s+){5}/, '')) : lines,
    };
  });
}
