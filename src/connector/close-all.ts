/** What is open and has to be released. */
export interface Closable {
  close(): Promise<void>;
}

/** Closes in reverse order, each also when another one fails. Rejects with the first error. */
export async function closeAll(opened: readonly Closable[]): Promise<void> {
  const errors: unknown[] = [];
  for (const each of opened.toReversed()) await each.close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
