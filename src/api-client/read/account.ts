import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import { describeTwoWays } from '../../submission/amount-format.ts';
import { getField, InvalidPayload, indexFields, isObject, type Json, type JsonObject } from './fields.ts';
import type { AnswerFormat } from './format.ts';
import { readIdentity } from './identity.ts';
import { findOtherCurrency, indexInside } from './money.ts';

export interface BalanceView {
  readonly balance: Micros;
}

/** The balance (spec 4.3) at `data.balance`, in a wallet, or as `data` itself. */
export function readBalance(data: Json, { names, money }: AnswerFormat): BalanceView | InvalidPayload {
  const fields = indexFields(data);
  const places = [fields, ...names.wallet.map((name) => indexInside(fields, getField(fields, name)))];
  const amounts = [...names.balance, 'available', 'amount'];
  const balance = money.readIn(places, amounts);
  if (balance !== null) return { balance };
  const doubtful = money.findDoubtful(places, amounts);
  if (doubtful !== null) return new InvalidPayload(`whose balance ${describeTwoWays(doubtful)}`);
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
export function readStats(data: Json, format: AnswerFormat): StatsView | InvalidPayload {
  const account = readAccount(data, format);
  return account instanceof InvalidPayload || !isObject(data)
    ? new InvalidPayload('without data')
    : { ...account, shown: data };
}

/** The account and money fields of `GET /me` (spec 4.2; fields not shown). */
export function readAccount(data: Json, { names, money }: AnswerFormat): AccountView | InvalidPayload {
  if (!isObject(data)) return new InvalidPayload('without data');
  const fields = indexFields(data);
  const around = (objects: readonly string[]) => objects.map((name) => indexInside(fields, getField(fields, name)));
  const anyLevel = money.readIn(
    [fields, ...around([...names.wallet, ...names.prices])],
    [...names.price, 'submissionprice', 'price'],
  );
  const wallets = [fields, ...around(names.wallet)];
  const prices = wallets.flatMap((place) => names.prices.map((name) => indexInside(place, getField(place, name))));
  const readPrice = (level: ServiceLevel) => money.readIn(prices, [level]) ?? anyLevel;
  return {
    identity: readIdentity(data),
    balance: money.readIn([fields, ...around(names.wallet)], names.balance),
    prices: { standard: readPrice('standard'), fast: readPrice('fast') },
  };
}
