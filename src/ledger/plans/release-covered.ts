import type { RunId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { getAllowance, type PlanInput } from '../plans/allowance.ts';
import { surveyDue } from '../plans/survey-due.ts';
import { decideRun } from '../runs/decide-run.ts';
import { isHeldForMoney, parseHold } from '../runs/run-hold.ts';
import { getRun } from '../runs/runs.ts';

/**
 * Lets a run go on that only money, a price or a cap held, once these allow all that was shown: after a top-up or with a
 * higher cap nobody has to approve what no guard asks about. `refresh` reads the balance and the prices from the service.
 * Returns whether it goes on.
 */
export async function releaseCovered(
  ledger: Ledger,
  run: RunId,
  input: PlanInput,
  refresh: () => Promise<void>,
): Promise<boolean> {
  const { db } = ledger;
  const row = await getRun(db, run);
  if (row.held === null || !isHeldForMoney(parseHold(row.held))) return false;
  const { total } = await surveyDue(db, row.watch_id, input.watch, ledger.now());
  const ask = async () => (await getAllowance(db, ledger.now(), row, input, total)).refusal;
  let refusal = await ask();
  // A cap is a setting: the service has nothing to say about it.
  if (refusal?.reason.code !== 'cap_reached') {
    await refresh();
    refusal = await ask();
  }
  if (refusal !== null) return false;
  await decideRun(ledger, run, 'approved', 'the caps and the balance allow it now');
  return true;
}
