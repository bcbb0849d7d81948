import { createProgram, type ProgramDefinition } from '../cli-kit/program.ts';

/** Commands are loaded when asked for: Temporal's SDK alone takes a second and 100 MB that `crawl` need not pay. */
export const COURIER: ProgramDefinition = {
  name: 'courier',
  description: 'Watches sitemaps and submits new URLs to a prepaid service, without ever paying twice.',
  options: (program) => program.option('--config <file>', 'configuration file, or a folder of them', 'courier.yaml'),
  groups: {
    Begin: ['demo', 'init', 'validate', 'config', 'doctor'],
    Buy: ['plan', 'apply', 'run', 'worker', 'watch', 'index-check'],
    Look: ['status', 'tonight', 'why', 'batches', 'submissions', 'index-checks', 'spend', 'audit', 'report'],
    Decide: ['approve', 'reject', 'quarantine', 'accounts', 'recover'],
    Maintain: ['ledger', 'backup', 'restore', 'notify', 'deployments', 'codec-server'],
    'Without a configuration': ['crawl', 'completion', 'schema', 'help'],
  },
  commands: {
    demo: {
      description:
        'try everything on this machine: a sandbox service, a demo site (or your sitemaps) and the whole job',
      load: async () => (await import('./demo/demo.ts')).demoCommand,
    },
    init: {
      description: 'find the sitemaps of your sites and write a first configuration; it overwrites nothing',
      load: async () => (await import('./commands/init.ts')).initCommand,
    },
    validate: {
      description: 'check the configuration: every mistake at once, with its line; secrets that cannot be read too',
      load: async () => (await import('./commands/config.ts')).validateCommand,
    },
    config: {
      description: 'show the configuration in force',
      load: async () => (await import('./commands/config.ts')).configCommand,
    },
    doctor: {
      description: 'check everything that runs need: key, money, clock, service, Temporal, ledger, sitemaps, last runs',
      load: async () => (await import('./commands/doctor.ts')).doctorCommand,
    },
    plan: {
      description: 'show what a run would buy now and what it would cost; buys nothing and needs no Temporal server',
      load: async () => (await import('./commands/plan.ts')).planCommand,
    },
    apply: {
      description: 'buy exactly what a plan says, once; a plan that is out of date or was applied is refused',
      load: async () => (await import('./commands/apply.ts')).applyCommand,
    },
    run: {
      description: 'run watches now and follow them until the service has accepted what is new',
      load: async () => (await import('./commands/run.ts')).runCommand,
    },
    worker: {
      description: 'work for the configured watches until SIGTERM, and keep their schedules as configured',
      load: async () => (await import('./commands/worker.ts')).workerCommand,
    },
    status: {
      description: 'show every watch and account: last run, what is open, what was charged, what waits for you',
      load: async () => (await import('./commands/status.ts')).statusCommand,
    },
    tonight: {
      description: 'show the runs of the next 24 hours: when, about how many URLs and how much, and what caps allow',
      load: async () => (await import('./commands/tonight.ts')).tonightCommand,
    },
    why: {
      description: 'explain a URL: in scope or not, where it was seen, when it was bought, why not, what comes next',
      load: async () => (await import('./commands/why.ts')).whyCommand,
    },
    watch: {
      description: 'list, pause, resume or trigger the schedules of the watches',
      load: async () => (await import('./commands/watch.ts')).watchCommand,
    },
    approve: {
      description: 'continue a run that a guard holds; "courier status" shows the runs that wait',
      load: async () => (await import('./commands/decide.ts')).approveCommand,
    },
    reject: {
      description: 'end a run that a guard holds; it submits nothing',
      load: async () => (await import('./commands/decide.ts')).rejectCommand,
    },
    batches: {
      description: 'list, show, resolve or cancel the batches in the ledger',
      load: async () => (await import('./commands/batches.ts')).batchesCommand,
    },
    submissions: {
      description: 'list, show or resolve the batches that the service accepted',
      load: async () => (await import('./commands/batches.ts')).submissionsCommand,
    },
    'index-check': {
      description: 'run the index checks that are due; each URL checked is charged',
      load: async () => (await import('./commands/index-check.ts')).indexCheckCommand,
    },
    'index-checks': {
      description: 'list what the index checks found',
      load: async () => (await import('./commands/index-checks.ts')).indexChecksCommand,
    },
    spend: {
      description: 'show what was charged, by watch, day or month',
      load: async () => (await import('./commands/spend.ts')).spendCommand,
    },
    audit: {
      description: "compare an account's journal with the service's own list and balance; reads only",
      load: async () => (await import('./commands/audit.ts')).auditCommand,
    },
    report: {
      description: 'write a report as one HTML file: coverage, money, times, failures, index checks, what waits',
      load: async () => (await import('./commands/report.ts')).reportCommand,
    },
    deployments: {
      description: 'list the builds of the workers and what runs on them, or promote one',
      load: async () => (await import('./commands/deployments.ts')).deploymentsCommand,
    },
    'codec-server': {
      description: 'decrypt for the Temporal Web UI what workflows have stored; for pages of the origins that you name',
      load: async () => (await import('./commands/codec-server.ts')).codecServerCommand,
    },
    accounts: {
      description: 'confirm that the service of an account has moved',
      load: async () => (await import('./commands/accounts.ts')).accountsCommand,
    },
    notify: {
      description: 'send a test message to the channels of the configuration',
      load: async () => (await import('./commands/notify.ts')).notifyCommand,
    },
    ledger: {
      description: 'show what the ledger knows of a URL, carry purchases to another ledger, or remove old details',
      load: async () => (await import('./commands/ledger.ts')).ledgerCommand,
    },
    quarantine: {
      description: 'list or release URLs that are not submitted again until you release them',
      load: async () => (await import('./commands/quarantine.ts')).quarantineCommand,
    },
    backup: {
      description: 'copy a SQLite ledger into one file, also while workers run, and check the copy',
      load: async () => (await import('./commands/backup.ts')).backupCommand,
    },
    restore: {
      description: 'put a copy in the place of a SQLite ledger that no process uses; the former one is kept',
      load: async () => (await import('./commands/backup.ts')).restoreCommand,
    },
    recover: {
      description: "rebuild a lost or old ledger from the service's own history, so that nothing is bought again",
      load: async () => (await import('./commands/recover.ts')).recoverCommand,
    },
    crawl: {
      description: 'read sitemaps and print every page that they name; needs no configuration',
      load: async () => (await import('./commands/crawl.ts')).crawlCommand,
    },
    completion: {
      description: 'print the completion script of a shell',
      load: async () => (await import('./commands/completion.ts')).completionCommand(createCourier),
    },
    schema: {
      description: 'print the JSON Schema of the configuration file, or of the machine output',
      load: async () => (await import('./commands/schema.ts')).schemaCommand,
    },
  },
};

export const createCourier = () => createProgram(COURIER);
