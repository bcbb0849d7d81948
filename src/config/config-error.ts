import { dirname, resolve, sep } from 'node:path';
import type { Remedy } from './fault.ts';
import { maskSecrets } from './mask-secrets.ts';

/** One mistake in a configuration. Lines and columns start at 1; null when it is about the file as a whole. */
export interface ConfigProblem {
  readonly file: string;
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  /** The changes that the message proposes: the checker accepts each of them. Absent for none. */
  readonly remedies?: readonly Remedy[];
}

/** The configuration cannot be used; nothing was started. Exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The file or folder that was named. */
  readonly file: string;
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const shown = maskProblems(file, problems);
    super(
      `${file} cannot be used, so nothing was started and nothing was charged:\n` +
        shown.map((problem) => `  ${formatProblem(problem)}`).join('\n'),
    );
    this.file = file;
    this.problems = shown;
  }
}

/** The problems without what may be a secret. `file`: what was named. */
export function maskProblems(file: string, problems: readonly ConfigProblem[]): ConfigProblem[] {
  const folders = [...new Set([file, ...problems.map((problem) => problem.file)].flatMap(listFolders))];
  return problems.map((problem) => ({
    ...problem,
    path: maskSecrets(problem.path),
    message: maskSecrets(problem.message, { keep: folders }),
  }));
}

/** The folder of a file, as it is named and in full, with the slash: no setting can be written so by mistake. */
const listFolders = (file: string): string[] => [`${dirname(resolve(file))}${sep}`, `${dirname(file)}${sep}`];

/** `FILE:LINE:COLUMN what is wrong`. */
export const formatProblem = ({ file, line, column, message }: ConfigProblem): string =>
  line === null ? `${file}: ${message}` : `${file}:${line}:${column} ${message}`;
