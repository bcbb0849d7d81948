import type { CommandOutput } from '../../../cli-kit/record-schema.ts';
import { ACCOUNT_OUTPUT } from './account.ts';
import { AUDIT_OUTPUT } from './audit.ts';
import { BATCH_OUTPUT } from './batch.ts';
import { CONFIG_OUTPUT } from './config.ts';
import { CRAWL_OUTPUT } from './crawl.ts';
import { DEMO_OUTPUT } from './demo.ts';
import { DEPLOYMENT_OUTPUT } from './deployment.ts';
import { DOCTOR_OUTPUT } from './doctor.ts';
import { LEDGER_OUTPUT } from './ledger.ts';
import { PLAN_OUTPUT } from './plan.ts';
import { REPORT_OUTPUT } from './report.ts';
import { RUN_OUTPUT } from './run.ts';
import { STATUS_OUTPUT } from './status.ts';
import { URL_OUTPUT } from './url-history.ts';

/** What every command of `courier` prints with --json. `schema` prints a JSON Schema instead. */
export const CLI_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  ...DEMO_OUTPUT,
  ...DOCTOR_OUTPUT,
  ...LEDGER_OUTPUT,
  ...AUDIT_OUTPUT,
  ...REPORT_OUTPUT,
  ...PLAN_OUTPUT,
  ...RUN_OUTPUT,
  ...STATUS_OUTPUT,
  ...BATCH_OUTPUT,
  ...ACCOUNT_OUTPUT,
  ...DEPLOYMENT_OUTPUT,
  ...URL_OUTPUT,
  ...CRAWL_OUTPUT,
  ...CONFIG_OUTPUT,
};
