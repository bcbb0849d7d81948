import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { ROOT } from '../suites.ts';
import type { Change } from './load-change.ts';
import { mutateText } from './mutation.ts';

/** Of a local, an import, a property, a type, a destructuring. */
const UNUSED: ReadonlySet<number> = new Set([6133, 6138, 6192, 6196, 6198, 6199]);

/** The compiler, which keeps the program and checks one changed file of it at a time: a third of a second each. */
export class Types {
  readonly #changed = new Map<string, string>();
  readonly #api = new API({ cwd: ROOT, fs: { readFile: (path) => this.#changed.get(path) } });

  constructor() {
    this.#api.updateSnapshot({ openProjects: [join(ROOT, 'tsconfig.json')] });
  }

  /** The first error of the file with this change. That a name is now unused is none: whoever makes the mistake takes it out. */
  findError(change: Change): string | null {
    const path = join(ROOT, change.file);
    this.#changed.set(path, mutateText(readFileSync(path, 'utf8'), change));
    try {
      const [project] = this.#api.updateSnapshot({ fileChanges: { changed: [path] } }).getProjects();
      const errors = project!.program.getSemanticDiagnostics(path).filter(({ code }) => !UNUSED.has(code));
      return errors[0]?.text ?? null;
    } finally {
      this.#changed.delete(path);
      this.#api.updateSnapshot({ fileChanges: { changed: [path] } });
    }
  }

  close(): void {
    this.#api.close();
  }
}
