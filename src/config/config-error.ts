import { maskSecrets } from './mask-secrets.ts';

/** One mistake in a configuration file. Lines and columns start at 1. */
export interface ConfigProblem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The configuration cannot be used; nothing was started. Exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly file: string;
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const shown = problems.map((problem) => ({
      ...problem,
      path: maskSecrets(problem.path),
      message: maskSecrets(problem.message),
    }));
    super(
      `${file} cannot be used, so nothing was started and nothing was charged:\n` +
        shown.map((problem) => `  ${file}:${problem.line}:${problem.column} ${problem.message}`).join('\n'),
    );
    this.file = file;
    this.problems = shown;
  }
}
