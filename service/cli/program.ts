import { createProgram, type ProgramDefinition } from '../../src/cli-kit/program.ts';

/** Commands are loaded when asked for: `serve` brings the HTTP server and Temporal, which `key create` need not load. */
export const COURIER_SERVICE: ProgramDefinition = {
  name: 'courier-service',
  description: 'The Queued URL Submission Service, REST API v1',
  commands: {
    serve: {
      description: 'answer the REST API, the dashboard, /healthz and /readyz until a signal ends it',
      load: async () => (await import('./serve.ts')).serveCommand,
    },
    account: {
      description: 'create, list, suspend, resume or close accounts; their money, prices and passwords',
      load: async () => (await import('./account.ts')).accountCommand,
    },
    key: {
      description: 'create, list, revoke or regenerate API keys',
      load: async () => (await import('./key.ts')).keyCommand,
    },
    submission: {
      description: 'show, requeue or fail a submission',
      load: async () => (await import('./submission.ts')).submissionCommand,
    },
    refund: {
      description: 'refund the charge of a submission; the submission itself continues',
      load: async () => (await import('./submission.ts')).refundCommand,
    },
    events: {
      description: 'print the audit log of all accounts, oldest first, from an id on',
      load: async () => (await import('./events.ts')).eventsCommand,
    },
    audit: {
      description: 'compare balances with entries, and charges with submissions and index checks',
      load: async () => (await import('./safety.ts')).auditCommand,
    },
    backup: {
      description: 'copy the SQLite database while the service runs, and audit the copy',
      load: async () => (await import('./safety.ts')).backupCommand,
    },
    schema: {
      description: 'print the JSON Schemas of the machine output',
      load: async () => (await import('./schema.ts')).schemaCommand,
    },
  },
};

export const createCourierService = () => createProgram(COURIER_SERVICE);
