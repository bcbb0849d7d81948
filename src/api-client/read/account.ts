import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import { InvalidPayload, indexFields, isObject, type Json, type JsonObject } from './fields.ts';
import { readIdentity } from './identity.ts';
import { findOtherCurrency, indexInside, readMoneyIn } from './money.ts';

const BALANCE = ['balance', 'availablebalance', 'currentbalance', 'available', 'amount'];
const AROUND = ['wallet', 'account', 'balances'];
const PRICES = ['prices', 'pricing', 'priceperurl'];
const PRICE = ['priceperurl', 'perurlprice', 'unitprice', 'urlprice', 'submissionprice', 'price'];

export interface BalanceView {
  readonly balance: Micros;
}

/** The balance (spec 4.3) at `data.balance`, in a wallet, or as `data` itself. */
export function readBalance(data: Json): BalanceView | InvalidPayload {
  const fields = indexFields(data);
  const places = [fields, ...AROUND.map((name) => indexInside(fields, fields.get(name)))];
  const balance = readMoneyIn(places, BALANCE);
  if (balance !== null) return { balance };
  const currency = places.map(findOtherCurrency).find((other) => other !== null);
  return new InvalidPayload(
    currency === undefined
      ? 'without a balance that can be read'
      : `whose balance is in ${currency.slice(0, 10)}, not in TRY`,
  );
}

export interface AccountView {
  /** The account's identity as `field=value`; null where the service does not show it. */
  readonly identity: string | null;
  readonly balance: Micros | null;
  /** Per URL; null where the service does not show it. */
  readonly prices: Readonly<Record<ServiceLevel, Micros | null>>;
}

export interface StatsView extends AccountView {
  /** All that the service shows, as it came: the specification names no field. */
  readonly shown: JsonObject;
}

/** `GET /stats` (spec 4.4; fields not shown). */
export function readStats(data: Json): StatsView | InvalidPayload {
  const account = readAccount(data);
  return account instanceof InvalidPayload || !isObject(data)
    ? new InvalidPayload('without data')
    : { ...account, shown: data };
}

/** The account and money fields of `GET /me` (spec 4.2; fields not shown). */
export function readAccount(data: Json): AccountView | InvalidPayload {
  if (!isObject(data)) return new InvalidPayload('without data');
  const fields = indexFields(data);
  const around = (names: readonly string[]) => names.map((name) => indexInside(fields, fields.get(name)));
  const anyLevel = readMoneyIn([fields, ...around([...AROUND, ...PRICES])], PRICE);
  const readPrice = (level: ServiceLevel) => readMoneyIn(around(PRICES), [level]) ?? anyLevel;
  return {
    identity: readIdentity(data),
    balance: readMoneyIn([fields, ...around(AROUND)], BALANCE.slice(0, 3)),
    prices: { standard: readPrice('standard'), fast: readPrice('fast') },
  };
}
