import { Command } from 'commander';
import { addAccount } from './account.ts';
import { EXIT } from './command.ts';
import { addKey } from './key.ts';
import { VERSION } from './output.ts';
import { addAudit, addBackup } from './safety.ts';
import { addServe } from './serve.ts';
import { addSubmission } from './submission.ts';

const program = new Command('courier-service')
  .description('The Queued URL Submission Service, REST API v1')
  .version(VERSION)
  .configureHelp({ showGlobalOptions: true })
  .exitOverride((error) => process.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage));
// Commander copies exitOverride to commands that are made after it was set.
addServe(program);
addAccount(program);
addKey(program);
addSubmission(program);
addAudit(program);
addBackup(program);

await program.parseAsync();
