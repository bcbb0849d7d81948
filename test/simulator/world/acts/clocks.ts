import { pick } from '../../../support/seeded.ts';
import type { Play } from './play.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

export const CLOCK_PLAYS = {
  /** The clock of one host is wrong for a while, by minutes, hours or days, and corrected then: the others are right. */
  async 'wrong clock'({ kernel, workers, service, happenings }, { forMs }, random) {
    const names = [...workers, service].map(({ name }) => name);
    const host = pick(random, names);
    const most = pick(random, [10 * MINUTE, 6 * 60 * MINUTE, 3 * DAY]);
    const ms = Math.floor((2 * random() - 1) * most);
    kernel.setOffset(host, ms);
    kernel.trace(`the clock of ${host} is ${ms} ms ahead`);
    happenings.add(ms > 0 ? 'a clock is ahead' : 'a clock is behind');
    if (Math.abs(ms) > DAY) happenings.add('a clock is wrong by days');
    await kernel.sleep(forMs);
    kernel.setOffset(host, 0);
    kernel.trace(`the clock of ${host} is right`);
    happenings.add('a clock is corrected');
  },
} satisfies Record<string, Play>;
