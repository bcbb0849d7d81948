/**
 * Plays seeded schedules of the whole connector and the real service on a virtual platform: npm run simulate --
 * [--seeds N] [--from SEED] [--seed SEED] [--trace]. Exit code 1 when a rule was broken.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import './platform/real-time.ts';
import './platform/module-hooks.ts';
import './platform/install.ts';
import { realNow } from './platform/real-time.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const { play } = await import('./world/play.ts');
const { toScenario } = await import('./world/scenario.ts');

const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const began = realNow();
let failed = 0;
const digest = createHash('sha256');
for (let seed = first; seed < first + count; seed++) {
  const startedAt = realNow();
  const played = await play(toScenario(seed), values.trace ? (line) => console.log(line) : null);
  digest.update(played.digest);
  if (played.breaches.length > 0) failed += 1;
  if (played.breaches.length > 0 || count === 1) {
    const hours = (played.elapsedMs / 3_600_000).toFixed(1);
    console.log(
      `seed ${seed}: ${played.events} events, ${hours} virtual hours, ${played.charges} charges, ` +
        `${Math.round(realNow() - startedAt)} ms, digest ${played.digest.slice(0, 16)}`,
    );
    for (const breach of played.breaches) console.log(`  breach: ${breach}`);
  }
}
const minutes = (realNow() - began) / 60_000;
console.log(`${count} seeds, ${failed} with a breach, ${Math.round(count / minutes)} schedules a minute`);
console.log(`digest of all traces: ${digest.digest('hex')}`);
process.exit(failed === 0 ? 0 : 1);
