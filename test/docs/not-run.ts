/** What the guides show and a test cannot run, with the reason. Bash still parses it. Every entry must match something. */
export const NOT_RUN: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  { pattern: /^npm start\b/, reason: 'the demo: test/e2e/demo.test.ts runs it' },
  { pattern: /^npm (test|run test:all)$/, reason: 'the tests themselves' },
  { pattern: /^npm install\b/, reason: 'downloads packages; npm run test:package installs the package' },
  { pattern: /\bsystemctl\b|\/etc\/systemd|\bsystemd-sysusers\b|^cd \S+\/deploy\/systemd$/, reason: 'needs systemd' },
  { pattern: /^install -[do]/, reason: 'gives files to a user of the system' },
  { pattern: /^(cp -r \. \/opt|mkdir -p \/etc|install .*\/etc)/, reason: 'writes to folders of the system' },
  { pattern: /\bsudo -u\b/, reason: 'needs a user of the system' },
  { pattern: /^docker\b|^cd deploy\/compose\b/, reason: 'needs Docker; npm run test:image runs the image' },
  { pattern: /^kubectl\b/, reason: 'needs a cluster' },
  { pattern: /^(pg_dump|pg_restore|pg_basebackup|createdb)\b/, reason: 'needs a Postgres of its own and its programs' },
  { pattern: /^openssl rand\b/, reason: 'writes a secret into a folder of the system' },
  {
    pattern: /^courier codec-server\b/,
    reason: 'needs an encrypted ledger: test/e2e/encrypted-payloads.test.ts runs it',
  },
  { pattern: /^curl .*\/runs\/shop$/, reason: 'needs a worker with a secret: test/e2e/publication.test.ts asks one' },
  {
    pattern: /^courier deployments move\b/,
    reason: 'needs a run that waits for a build without workers: test/e2e/builds.test.ts moves one',
  },
  {
    pattern: /^courier doctor --learn --spend\b/,
    reason: 'needs a page that is due: src/cli/commands/doctor-spend.system.test.ts buys one',
  },
  { pattern: /^export TEMPORAL_API_KEY=/, reason: 'switches TLS on, which a local server does not speak' },
];
