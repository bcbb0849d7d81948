import type { CommandOutput } from '../../../cli-kit/record-schema.ts';
import { ACCOUNT_OUTPUT } from './account.ts';
import { AUDIT_OUTPUT } from './audit.ts';
import { BACKUP_OUTPUT } from './backup.ts';
import { BATCH_OUTPUT } from './batch.ts';
import { CODEC_SERVER_OUTPUT } from './codec-server.ts';
import { CONFIG_OUTPUT } from './config.ts';
import { CRAWL_OUTPUT } from './crawl.ts';
import { DEMO_OUTPUT } from './demo.ts';
import { DEPLOYMENT_OUTPUT } from './deployment.ts';
import { DOCTOR_OUTPUT } from './doctor.ts';
import { FORGET_OUTPUT } from './forget.ts';
import { INDEX_CHECKS_OUTPUT } from './index-checks.ts';
import { INIT_OUTPUT } from './init.ts';
import { LEDGER_OUTPUT } from './ledger.ts';
import { NOTIFY_OUTPUT } from './notify.ts';
import { PLAN_OUTPUT } from './plan.ts';
import { PRUNE_OUTPUT } from './prune.ts';
import { RECOVER_OUTPUT } from './recover.ts';
import { REPORT_OUTPUT } from './report.ts';
import { RUN_OUTPUT } from './run.ts';
import { SPEND_OUTPUT } from './spend.ts';
import { STATUS_OUTPUT } from './status.ts';
import { TONIGHT_OUTPUT } from './tonight.ts';
import { URL_OUTPUT } from './url-history.ts';
import { WHY_OUTPUT } from './why.ts';

/** What every command of `courier` prints with --json. `schema` prints a JSON Schema instead. */
export const CLI_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  ...DEMO_OUTPUT,
  ...DOCTOR_OUTPUT,
  ...INIT_OUTPUT,
  ...INDEX_CHECKS_OUTPUT,
  ...LEDGER_OUTPUT,
  ...SPEND_OUTPUT,
  ...AUDIT_OUTPUT,
  ...BACKUP_OUTPUT,
  ...REPORT_OUTPUT,
  ...PRUNE_OUTPUT,
  ...FORGET_OUTPUT,
  ...PLAN_OUTPUT,
  ...NOTIFY_OUTPUT,
  ...RUN_OUTPUT,
  ...STATUS_OUTPUT,
  ...TONIGHT_OUTPUT,
  ...BATCH_OUTPUT,
  ...ACCOUNT_OUTPUT,
  ...DEPLOYMENT_OUTPUT,
  ...CODEC_SERVER_OUTPUT,
  ...URL_OUTPUT,
  ...WHY_OUTPUT,
  ...RECOVER_OUTPUT,
  ...CRAWL_OUTPUT,
  ...CONFIG_OUTPUT,
};
