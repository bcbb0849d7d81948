import { setCurrentDetails, setHandler } from '@temporalio/workflow';
import { type Status, statusQuery } from '../src/temporal-api/messages.ts';
import { toDetail } from '../src/temporal-api/summary.ts';
import { showPhase } from './phase.ts';

/** Shows what a workflow does: as its current details, as the query `status`, and its phase as a search attribute. */
export interface StatusDisplay {
  /** `rows`: state, money and next action first. */
  show(phase: string, summary: string, rows?: Readonly<Record<string, string>>): void;
  /** The same for a wait: the list of workflows shows its sentence, also when only the money changes. */
  showWait(phase: string, summary: string, rows?: Readonly<Record<string, string>>): void;
}

/** `setPhase` puts the phase and its sentence into the list of workflows, where that is not done elsewhere. */
export function createStatus(setPhase: (phase: string, summary: string) => void = showPhase): StatusDisplay {
  let status: Status = { summary: 'It has just begun.', phase: '' };
  setHandler(statusQuery, () => status, { description: 'What it does, why, and what comes next. No data is needed.' });
  const show = (phase: string, summary: string, rows: Readonly<Record<string, string>>, isListed: boolean) => {
    if (isListed) setPhase(phase, summary);
    status = { summary, phase, ...rows };
    setCurrentDetails(`**${toDetail(summary)}**\n\n${table({ phase, ...rows })}`);
  };
  return {
    show: (phase, summary, rows = {}) => show(phase, summary, rows, phase !== status.phase),
    showWait: (phase, summary, rows = {}) =>
      show(phase, summary, rows, phase !== status.phase || summary !== status.summary),
  };
}

/** A small Markdown table for the Web UI. */
function table(rows: Readonly<Record<string, string>>): string {
  const lines = Object.entries(rows).map(([name, value]) => `| ${name} | ${toDetail(value).replaceAll('|', '\\|')} |`);
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}
