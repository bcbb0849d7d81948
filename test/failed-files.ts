import { relative } from 'node:path';
import { ROOT } from './suites.ts';

interface TestEvent {
  readonly type: string;
  readonly data: { readonly file?: string; readonly name?: string; readonly todo?: unknown };
}

/**
 * A reporter of `node --test`: the file of each failed test, relative to the tree, a line each. A file whose process died
 * is named too: such a failure has the file for its name.
 */
export default async function* listFailedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seen = new Set<string>();
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined) continue;
    const file = relative(ROOT, data.file ?? data.name ?? '');
    if (seen.has(file)) continue;
    seen.add(file);
    yield `${file}\n`;
  }
}
