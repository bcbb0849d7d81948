import { writeSync } from 'node:fs';

interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly file?: string;
    readonly name?: string;
    readonly todo?: unknown;
    readonly details?: { readonly type?: string };
  };
}

/** A reporter that names the first failed test, and ends the process at it: one is enough. */
export default async function* stopAtFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined || data.details?.type === 'suite') continue;
    // Written at once: the process ends before a stream is flushed.
    writeSync(1, `${data.name} (${data.file?.split('/').slice(-2).join('/')})\n`);
    process.exit(1);
  }
  yield '';
}
