/**
 * What the output of `temporal server start-dev` tells. The command has no other way to say it: it exits with 1 for every
 * failure, writes no file with its state, and a response at its address may come from another server.
 */

/** Whether the server has its port: it then prints its addresses, one a line. */
export const hasStarted = (output: string): boolean => /^Server:\s/m.test(output);

/**
 * Finds the addresses in output that arrives in pieces. A server that workers already call may print any number of errors
 * before them, so no part of the output can be left out.
 */
export function createStartFinder(): (piece: string) => boolean {
  let started = false;
  let line = '';
  return (piece) => {
    line += piece;
    started ||= hasStarted(line);
    line = line.slice(line.lastIndexOf('\n') + 1);
    return started;
  };
}

/** Whether another program took one of its ports. The sentence is the one of the operating system (EADDRINUSE). */
export const isPortTaken = (output: string): boolean => output.includes('address already in use');
