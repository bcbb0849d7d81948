/** What the workers of a cluster wrote, without the lines themselves. */
export class WorkerLog {
  /** How late each poll was, in ms. */
  readonly lags: number[] = [];
  /** Warnings and errors, by their text without its numbers and names. */
  readonly complaints = new Map<string, number>();
  /** The last lines that are no log records: what a process says when it ends by itself. */
  #last: string[] = [];

  /** Takes one line of a worker's standard error. */
  take(line: string): void {
    const record = parseRecord(line);
    if (record === null) {
      this.#last = [...this.#last, line].slice(-20);
      return;
    }
    if (typeof record.lagMs === 'number') this.lags.push(record.lagMs);
    if (record.level !== 'warn' && record.level !== 'error') return;
    const text = `${record.level}: ${normalize(String(record.msg ?? ''))}${describeError(record)}`;
    this.complaints.set(text, (this.complaints.get(text) ?? 0) + 1);
  }

  get lastLines(): string {
    return this.#last.join('\n');
  }
}

function describeError({ err, error }: Record<string, unknown>): string {
  const cause = (err ?? error) as { message?: unknown } | undefined;
  return typeof cause?.message === 'string' ? ` (${normalize(cause.message)})` : '';
}

const normalize = (text: string): string =>
  text
    .replaceAll(/\bw\d+\b/g, 'W')
    .replaceAll(/[0-9a-f-]{20,}|\d[\d.,:]*/g, 'N')
    .slice(0, 200);

function parseRecord(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}
