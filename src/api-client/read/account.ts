import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import { fieldsOf, firstOf, isObject, type Json, Nonsense } from './fields.ts';
import { moneyOf } from './money.ts';

const BALANCE = ['balance', 'availablebalance', 'currentbalance', 'available', 'amount'];
const AROUND = ['wallet', 'account', 'balances'];
const PRICES = ['prices', 'pricing', 'priceperurl'];
const PRICE = ['priceperurl', 'perurlprice', 'unitprice', 'urlprice', 'submissionprice', 'price'];

export interface BalanceView {
  readonly balance: Micros;
}

/** The balance (spec 4.3) at `data.balance`, in a wallet, or as `data` itself. */
export function readBalance(data: Json): BalanceView | Nonsense {
  const fields = fieldsOf(data);
  const currency = fields.get('currency');
  if (typeof currency === 'string' && !/^(try|tl)$/i.test(currency)) {
    return new Nonsense(`whose balance is in ${currency.slice(0, 10)}, not in TRY`);
  }
  const balance = moneyOf(fields, BALANCE) ?? firstOf(fields, AROUND, (value) => moneyOf(fieldsOf(value), BALANCE));
  return balance === null ? new Nonsense('without a balance that can be read') : { balance };
}

export interface AccountView {
  readonly balance: Micros | null;
  /** Per URL; null where the service does not tell. */
  readonly prices: Readonly<Record<ServiceLevel, Micros | null>>;
}

/** What `GET /me` and `GET /stats` tell of money (fields not shown): whatever of it is there. */
export function readAccount(data: Json): AccountView | Nonsense {
  if (!isObject(data)) return new Nonsense('without data');
  const fields = fieldsOf(data);
  const around = (names: readonly string[]) => names.map((name) => fieldsOf(fields.get(name)));
  const first = (places: readonly ReadonlyMap<string, Json>[], names: readonly string[]) =>
    places.reduce<Micros | null>((found, place) => found ?? moneyOf(place, names), null);
  const anyLevel = first([fields, ...around([...AROUND, ...PRICES])], PRICE);
  const priceOf = (level: ServiceLevel) => first(around(PRICES), [level]) ?? anyLevel;
  return {
    balance: first([fields, ...around(AROUND)], BALANCE.slice(0, 3)),
    prices: { standard: priceOf('standard'), fast: priceOf('fast') },
  };
}
