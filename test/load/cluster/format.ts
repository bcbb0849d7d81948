import type { Fairness, Spread } from './figures.ts';
import type { ClusterReport } from './run-cluster.ts';

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const formatSpread = (spread: Spread | null): string =>
  spread === null
    ? 'none'
    : `median ${seconds(spread.median)}, p99 ${seconds(spread.p99)}, most ${seconds(spread.most)}`;
const formatCounts = (counts: Readonly<Record<string, number>>, unit: string): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}${unit}`)
    .join(', ');

/** The figures for a reader. */
export function formatReport(report: ClusterReport): string {
  const { fairness, breaches } = report;
  return [
    `${report.workers} workers: ${report.urls} URLs in ${report.batches} batches and ${report.runs} runs, from the first crawl to the last ` +
      `acceptance ${report.seconds.toFixed(1)} s: ${report.urlsPerSecond} URLs/s`,
    ...(fairness === null ? [] : formatFairness(fairness)),
    `poll lag of ${report.polls} polls: ${formatSpread(report.pollLagMs)}`,
    `CPU: ${formatCounts(report.cpuSeconds, ' s')}`,
    `workers' most memory: ${formatCounts(report.workerRssMb, ' MB')}`,
    `per million URLs: ledger ${report.ledgerMbPerMillion} MB, Temporal's file ${report.temporalMbPerMillion} MB`,
    ...report.histories.map(
      ({ type, executions, events, bytes, actions }) =>
        `${type}: ${executions} executions, ${(events / executions).toFixed(1)} events, ${actions.toFixed(1)} actions and ${Math.round(bytes / executions)} bytes each`,
    ),
    ...(report.restarts === 0
      ? []
      : [`${report.restarts} restarts of a worker; a stop took ${formatSpread(report.stopMs)}`]),
    ...report.unexpectedEnds.map((end) => `ended by itself: ${end}`),
    ...Object.entries(report.complaints).map(([text, times]) => `${times} × ${text}`),
    `load of the machine: ${report.load.toFixed(1)}`,
    ...(breaches.length === 0 ? ['every promise holds'] : breaches.map((breach) => `BREACH: ${breach}`)),
  ].join('\n');
}

const formatFairness = ({ all, accounts, watches, small, large }: Fairness): string[] => [
  `from planned to accepted, a batch: ${formatSpread(all)}`,
  `by account: ${formatSpread(accounts)}; the worst is ${ratio(accounts)} of the median`,
  `by watch: ${formatSpread(watches)}; the worst is ${ratio(watches)} of the median`,
  `watches of one batch: ${formatSpread(small)}; of several: ${formatSpread(large)}`,
];

const ratio = ({ most, median }: Spread): string => `${(most / Math.max(median, 1)).toFixed(2)} times`;
