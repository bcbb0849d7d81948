import { AMPLE, type Scenario } from './scenario.ts';

/** Whether the balance may be short at some time, or a price not known. */
export const isMoneyShort = ({ balance, acts, configuresPrice, second, services }: Scenario): boolean =>
  balance < AMPLE ||
  (second !== undefined && second.balance < AMPLE) ||
  !configuresPrice ||
  services?.dialect !== undefined ||
  acts.some(({ kind }) => kind === 'spend elsewhere' || kind === 'jobs elsewhere' || kind === 'balance in euros');
