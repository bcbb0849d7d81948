import { setCurrentDetails, setHandler } from '@temporalio/workflow';
import { type Status, statusQuery } from '../src/temporal-api/messages.ts';
import { toDetail } from '../src/temporal-api/summary.ts';
import { showPhase } from './phase.ts';

/** Shows what a workflow does: as its current details, as the query `status`, and its phase as a search attribute. */
export interface StatusDisplay {
  /** `rows`: state, money and next action first. */
  show(phase: string, summary: string, rows?: Readonly<Record<string, string>>): void;
}

/** `begin`: the first phase. A workflow that is found with a phase does not set it again. */
export function createStatus(setPhase: (phase: string) => void = showPhase): StatusDisplay {
  let status: Status = { summary: 'It has just begun.', phase: '' };
  setHandler(statusQuery, () => status, { description: 'What it does, why, and what comes next. No data is needed.' });
  return {
    show(phase, summary, rows = {}) {
      if (phase !== status.phase) setPhase(phase);
      status = { summary, phase, ...rows };
      setCurrentDetails(`**${toDetail(summary)}**\n\n${table({ phase, ...rows })}`);
    },
  };
}

/** A small Markdown table for the Web UI. */
function table(rows: Readonly<Record<string, string>>): string {
  const lines = Object.entries(rows).map(([name, value]) => `| ${name} | ${toDetail(value).replaceAll('|', '\\|')} |`);
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}
