/**
 * Plays seeds with one deliberate defect after the other, and says how many each needed to be found:
 * npm run simulate:mutations -- [--seeds N] [--seconds S] [--only EXPRESSION] [--small]. Exit code 1 when one was not found.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SeedPlayer } from '../seed-player.ts';
import { MUTATIONS } from './table.ts';

const { values } = parseArgs({
  options: {
    /** For each mutation at most. */
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '600' },
    /** Mutations whose name matches this expression. */
    only: { type: 'string', default: '' },
    /** Mutations that are played at a time. */
    jobs: { type: 'string', default: String(availableParallelism()) },
    small: { type: 'boolean', default: false },
  },
});

/** Seeds that were played, and what broke in the last of them. */
interface Result {
  readonly seeds: number;
  readonly breach: string | null;
}

async function search(mutation: string): Promise<Result> {
  const player = new SeedPlayer({ mutation, size: values.small ? 'small' : 'usual' });
  const endsAt = performance.now() + Number(values.seconds) * 1_000;
  let seeds = 0;
  try {
    while (seeds < Number(values.seeds) && performance.now() < endsAt) {
      const played = await player.play(Number(values.from) + seeds);
      seeds += 1;
      const breach = played?.breaches[0];
      if (breach !== undefined) return { seeds, breach };
    }
    return { seeds, breach: null };
  } finally {
    player.close();
  }
}

const names = MUTATIONS.map(({ name }) => name).filter((name) => new RegExp(values.only).test(name));
const waiting = names.values();
let missed = 0;

async function searchSome(): Promise<void> {
  for (const name of waiting) {
    const { seeds, breach } = await search(name);
    if (breach === null) missed += 1;
    console.log(
      `| ${name} | ${seeds} | ${breach === null ? 'not found' : breach.replaceAll('|', '/').slice(0, 100)} |`,
    );
  }
}

console.log('| defect | seeds | what broke |\n| --- | --- | --- |');
await Promise.all(Array.from({ length: Number(values.jobs) }, searchSome));
process.exit(missed === 0 ? 0 : 1);
