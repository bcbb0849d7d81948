/** The questions that docs/guides/temporal-web-ui.md answers with a list of workflows. */
export const SAVED_VIEWS = [
  {
    name: 'What waits or fails?',
    query: "CourierPhase IN ('held','waiting','suspended','key rejected','incomplete') OR ExecutionStatus='Failed'",
  },
  { name: 'What waits for me?', query: "CourierPhase='held' AND ExecutionStatus='Running'" },
  {
    name: 'What waits for money?',
    query: "CourierPhase IN ('suspended','waiting','key rejected') AND ExecutionStatus='Running'",
  },
  { name: 'What failed or is incomplete?', query: "ExecutionStatus='Failed' OR CourierPhase='incomplete'" },
  { name: 'What is with the service?', query: "WorkflowType='trackSubmission' AND ExecutionStatus='Running'" },
  { name: 'What ran last?', query: "WorkflowType='watchSitemap'" },
  { name: 'What do index-checks find?', query: "WorkflowType='checkIndex'" },
] as const;

/** What the Web UI keeps in the browser: the columns of the list. */
export const BROWSER_SETTINGS: Readonly<Record<string, unknown>> = {
  'namespace-workflow-table-columns': {
    default: ['Status', 'CourierSummary', 'CourierWatch', 'CourierPhase', 'Workflow ID', 'Start', 'End'].map(
      (label) => ({ label }),
    ),
  },
};
