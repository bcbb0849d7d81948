import type { Micros } from '../../../../contract/money.ts';
import { type CommandOutput, count, micros, text, texts } from '../../../cli-kit/record-schema.ts';
import { named, recordOf } from '../../../cli-kit/record-table.ts';

/** One line of the demo's result. */
export interface DemoLine {
  readonly watch: string;
  readonly found: number;
  readonly new: number;
  readonly submitted: number;
  readonly completed: number;
  readonly failed: number;
  readonly checked: number;
  readonly inIndex: number;
  /** For submissions. */
  readonly charged: Micros;
  /** For index checks. */
  readonly chargedChecks: Micros;
}

export const toDemoWatchRecord = recordOf<DemoLine>()({
  type: named('demo_watch', 'A run of a watch of the demo, and its index checks.'),
  watch: text('name of the watch'),
  found: count('URLs in scope; a URL in two sitemaps counts once'),
  new: count('never submitted before'),
  submitted: count('URLs accepted'),
  completed: count('URLs completed'),
  failed: count('URLs failed'),
  checked: count('URLs checked in the index'),
  in_index: count('URLs found in the index'),
  charged_micros: micros('charge of submissions'),
  charged_checks_micros: micros('charge of index checks'),
});

export const DEMO_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  demo: {
    records: [toDemoWatchRecord.schema],
    summary: {
      balance_micros: micros('balance of the sandbox account'),
      notices: texts('what else you should know'),
      web_ui: text("runs in Temporal's Web UI"),
      config: text('configuration file of the demo'),
    },
  },
};
