import { ACT_NAMES } from './acts/index.ts';
import { CANNOT_MEET } from './cannot-meet.ts';
import { ENOUGH, listRare, type PairCount } from './pair-table.ts';

/** The figures below a table of pairs. */
export function summarizePairs(pairs: readonly PairCount[]): readonly string[] {
  const possible = pairs.filter(({ obstacle }) => obstacle === null);
  const rare = listRare(pairs);
  return [
    `${pairs.length} pairs; ${pairs.length - possible.length} cannot meet`,
    `${rare.length} met in fewer than ${ENOUGH} seeds, ${rare.filter(({ seeds }) => seeds === 0).length} in none`,
  ];
}

/** The page of a table: for each act how seldom it met another one and a state, and all pairs that met too seldom. */
export function toPage(pairs: readonly PairCount[], seeds: number, kind: string): string {
  const [figures, fewest] = summarizePairs(pairs);
  const rare = listRare(pairs);
  return [
    '# Pairs',
    '',
    `Written by \`npm run simulate -- --kind ${kind} --seeds ${seeds} --pairs FILE\`. Two acts meet when they begin within an hour, an act`,
    'and a state when something is in the state as the act begins; an act that finds nothing to do meets nothing. Counted are seeds.',
    '',
    `${seeds.toLocaleString('en')} seeds: ${figures}, ${fewest}.`,
    '',
    '| act | fewest with another act | median | fewest with a state | median |',
    '| --- | --- | --- | --- | --- |',
    ...ACT_NAMES.map((name) => `| ${[name, ...toFigures(pairs, name)].join(' | ')} |`),
    '',
    '## Cannot meet',
    '',
    '| each of | with each of | because |',
    '| --- | --- | --- |',
    ...CANNOT_MEET.map(({ each, other, why }) => `| ${each.join(', ')} | ${other.join(', ')} | ${why} |`),
    '',
    `## Fewer than ${ENOUGH}`,
    '',
    ...(rare.length === 0 ? ['None.'] : ['| met | pairs |', '| --- | --- |', ...listBySeeds(rare)]),
    '',
  ].join('\n');
}

/** Of the acts that it can meet, and of the states. */
function toFigures(pairs: readonly PairCount[], name: string): readonly string[] {
  const own = pairs.filter(({ one, other, obstacle }) => obstacle === null && (one === name || other === name));
  const isAct = ({ other }: PairCount) => (ACT_NAMES as readonly string[]).includes(other);
  return [own.filter(isAct), own.filter((each) => !isAct(each))].flatMap((some) => {
    const sorted = some.toSorted((a, b) => a.seeds - b.seeds);
    const [least] = sorted;
    const median = sorted[Math.floor(sorted.length / 2)];
    if (least === undefined || median === undefined) return ['', ''];
    return [`${least.seeds}: ${least.one === name ? least.other : least.one}`, String(median.seeds)];
  });
}

function listBySeeds(rare: readonly PairCount[]): readonly string[] {
  const groups = Map.groupBy(rare, ({ seeds, one }) => `${seeds} | ${one}`);
  return [...groups].map(([start, group]) => `| ${start} with ${group.map(({ other }) => other).join(', ')} |`);
}
