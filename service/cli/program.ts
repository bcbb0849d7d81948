import { createProgram, type Program } from '../../src/cli-kit/program.ts';

/** Commands are loaded when asked for: `serve` brings the HTTP server and Temporal, which `key create` need not load. */
export const createCourierService = (): Program =>
  createProgram({
    name: 'courier-service',
    description: 'The Queued URL Submission Service, REST API v1',
    commands: {
      '': {
        serve: 'answer the REST API, the dashboard, /healthz and /readyz until a signal ends it',
        account: 'create, list, suspend, resume or close accounts; their money, prices and passwords',
        key: 'create, list, revoke or regenerate API keys',
        submission: 'show, requeue or fail a submission',
        refund: 'refund the charge of a submission; the submission itself continues',
        events: 'print the audit log of all accounts, oldest first, from an id on',
        audit: 'compare balances with entries, and charges with submissions and index checks',
        backup: 'copy the SQLite database while the service runs, and audit the copy',
        schema: 'print the JSON Schemas of the machine output',
      },
    },
    load: {
      serve: async () => (await import('./serve.ts')).serveCommand,
      account: async () => (await import('./account.ts')).accountCommand,
      key: async () => (await import('./key.ts')).keyCommand,
      submission: async () => (await import('./submission.ts')).submissionCommand,
      refund: async () => (await import('./submission.ts')).refundCommand,
      events: async () => (await import('./events.ts')).eventsCommand,
      audit: async () => (await import('./safety.ts')).auditCommand,
      backup: async () => (await import('./safety.ts')).backupCommand,
      schema: async () => (await import('./schema.ts')).schemaCommand,
    },
  });
