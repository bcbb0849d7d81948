/**
 * Does work at once and then every `ms` milliseconds, never twice at a time: a turn that is due while the last one runs is
 * left out. Returns a function that ends this and waits for the turn that runs. The timer keeps no process alive.
 */
export function runEvery(
  ms: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  const turn = () => {
    running ??= work()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  };
  turn();
  const timer = setInterval(turn, ms).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
