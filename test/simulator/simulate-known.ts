/**
 * Plays the sequences of the known breaches, which are expected to break their rules: npm run simulate:known --
 * [--only EXPRESSION] [--seeds 3]. Exit code 1 when one no longer does: its entry must be taken out.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SeedPlayer } from './seed-player.ts';
import { KNOWN } from './world/known/index.ts';

const { values } = parseArgs({
  options: {
    /** Entries whose name or finding matches this expression. */
    only: { type: 'string', default: '' },
    /** Worlds of each at most: one in which it shows is enough. */
    seeds: { type: 'string', default: '3' },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});

const all = Object.entries(KNOWN);
const chosen = all.filter(([name, { finding }]) => new RegExp(values.only).test(`${finding} ${name}`));
const missed: string[] = [];
const waiting = chosen.values();

async function playSome(): Promise<void> {
  const player = new SeedPlayer({ kind: 'known' });
  for (const each of waiting) {
    const [name, { finding, cause, expects }] = each;
    const first = all.indexOf(each);
    const others: string[] = [];
    let shown: string | undefined;
    for (let n = 0; n < Number(values.seeds) && shown === undefined; n++) {
      const played = await player.play(first + n * all.length);
      const texts = [...(played?.breaches ?? []), ...(played?.known ?? []).flatMap(([, each]) => each)];
      shown = texts.find((text) => expects.test(text));
      others.push(...texts);
    }
    if (shown === undefined) missed.push(name);
    console.log(
      shown === undefined
        ? `${finding}, "${name}", no longer shows: take its entry out of test/simulator/world/known. Its cause was: ${cause}. ` +
            `It broke ${others.length === 0 ? 'nothing' : others.join('; ')}`
        : `${finding}, "${name}": ${shown}`,
    );
  }
  player.close();
}

await Promise.all(Array.from({ length: Number(values.jobs) }, playSome));
console.log(`${chosen.length - missed.length} of ${chosen.length} known breaches show`);
process.exit(missed.length === 0 ? 0 : 1);
