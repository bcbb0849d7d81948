import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import { InvalidPayload, indexFields, isObject, type Json, readFirst } from './fields.ts';
import { readIdentity } from './identity.ts';
import { readMoney } from './money.ts';

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
  const currency = fields.get('currency');
  if (typeof currency === 'string' && !/^(try|tl)$/i.test(currency)) {
    return new InvalidPayload(`whose balance is in ${currency.slice(0, 10)}, not in TRY`);
  }
  const balance =
    readMoney(fields, BALANCE) ?? readFirst(fields, AROUND, (value) => readMoney(indexFields(value), BALANCE));
  return balance === null ? new InvalidPayload('without a balance that can be read') : { balance };
}

export interface AccountView {
  /** The account's identity as `field=value`; null where the service does not show it. */
  readonly identity: string | null;
  readonly balance: Micros | null;
  /** Per URL; null where the service does not show it. */
  readonly prices: Readonly<Record<ServiceLevel, Micros | null>>;
}

/** The account and money fields of `GET /me` and `GET /stats` (spec 4.2, 4.4; fields not shown). */
export function readAccount(data: Json): AccountView | InvalidPayload {
  if (!isObject(data)) return new InvalidPayload('without data');
  const fields = indexFields(data);
  const around = (names: readonly string[]) => names.map((name) => indexFields(fields.get(name)));
  const first = (places: readonly ReadonlyMap<string, Json>[], names: readonly string[]) =>
    places.reduce<Micros | null>((found, place) => found ?? readMoney(place, names), null);
  const anyLevel = first([fields, ...around([...AROUND, ...PRICES])], PRICE);
  const readPrice = (level: ServiceLevel) => first(around(PRICES), [level]) ?? anyLevel;
  return {
    identity: readIdentity(data),
    balance: first([fields, ...around(AROUND)], BALANCE.slice(0, 3)),
    prices: { standard: readPrice('standard'), fast: readPrice('fast') },
  };
}
