/**
 * Plays seeds with one deliberate defect after the other, and says how many each needed to be found:
 * npm run simulate:mutations -- [--seeds N] [--seconds S] [--only TEXT]. Exit code 1 when one was not found.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTATIONS } from './table.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    /** For each mutation. */
    seconds: { type: 'string', default: '600' },
    only: { type: 'string', default: '' },
  },
});
const SIMULATE = fileURLToPath(new URL('../simulate.ts', import.meta.url));

async function play(name: string): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', SIMULATE, '--mutation', name, '--first-breach'];
  for (const each of ['seeds', 'from', 'seconds'] as const) args.push(`--${each}`, values[each]);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  await once(child, 'close');
  return text.includes(' seeds, ')
    ? text
    : `  breach: the program failed: ${errors.trim().split('\n')[4] ?? errors}\n1 seeds, `;
}

let missed = 0;
console.log('| defect | seeds | what broke |\n| --- | --- | --- |');
for (const { name } of MUTATIONS) {
  if (!name.includes(values.only)) continue;
  const text = await play(name);
  const breach = /breach: (.*)/.exec(text)?.[1];
  const seeds = /(\d+) seeds, /.exec(text)?.[1];
  if (breach === undefined) missed += 1;
  const what = breach === undefined ? 'not found' : breach.replaceAll('|', '/').slice(0, 100);
  console.log(`| ${name} | ${seeds} | ${what} |`);
}
process.exit(missed === 0 ? 0 : 1);
