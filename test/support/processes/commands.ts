/** Runs the commands of `courier` that it is sent, one after the other: Node and the modules are loaded once for all of them. */
import { createCourier } from '../../../src/cli/program.ts';

// Every command listens for signals of its own.
process.setMaxListeners(0);

interface Written {
  stdout: string;
  stderr: string;
}

function capture(): Written {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: unknown) => {
      written[name] += String(chunk);
      return true;
    };
  }
  return written;
}

async function run(args: readonly string[]): Promise<void> {
  const written = capture();
  process.exitCode = undefined;
  const failure = await createCourier()
    .command.parseAsync([...args], { from: 'user' })
    .then(
      () => '',
      (error: unknown) => String(error),
    );
  const stderr = written.stderr + failure;
  process.send?.({ code: failure === '' ? (process.exitCode ?? 0) : 2, stdout: written.stdout, stderr });
  process.exitCode = undefined;
}

let last = Promise.resolve();
process.on('message', (args: readonly string[]) => {
  last = last.then(() => run(args));
});
