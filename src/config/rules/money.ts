import { formatTry, INDEX_CHECK_PRICE, type Micros, parseTry } from '../../../contract/money.ts';
import { write } from '../fault.ts';
import type { RawAccount, RawConfig } from '../schema.ts';
import { eachWatch, listWatches, type PlacedWatch } from './each.ts';
import type { Found } from './rule.ts';

/** A cap, and where it is written. */
interface Cap {
  readonly name: string;
  readonly path: Found['path'];
  readonly amount: Micros;
}

const toCap = (name: string, path: Found['path'], text: string | undefined): readonly Cap[] => {
  const amount = text === undefined ? null : parseTry(text);
  return amount === null ? [] : [{ name, path, amount }];
};

const listAccountCaps = (id: string, { spend = {} }: Partial<RawAccount>): Cap[] =>
  (['per_day', 'per_month'] as const).flatMap((key) =>
    toCap(`spend.${key} of account ${id}`, ['accounts', id, 'spend', key], spend[key]),
  );

const listWatchCaps = ({ watch: { spend = {} }, toPath }: PlacedWatch): Cap[] =>
  (['per_run', 'per_day', 'per_month'] as const).flatMap((key) =>
    toCap(`spend.${key}`, toPath('spend', key), spend[key]),
  );

/** The caps of an account and of one of its watches, from the narrowest to the widest. */
function listChains(raw: RawConfig): Cap[][] {
  const accounts = Object.entries(raw.accounts).map(([id, account]) => listAccountCaps(id, account));
  const watches = listWatches(raw).flatMap((placed) => {
    const { account: id = '', index_check: check } = placed.watch;
    const wider = listAccountCaps(id, raw.accounts[id] ?? {});
    const checks = toCap('index_check.per_day', placed.toPath('index_check', 'per_day'), check?.per_day);
    return [
      [...listWatchCaps(placed), ...wider],
      [...checks, ...wider],
    ];
  });
  return [...accounts, ...watches];
}

/** A cap above a wider one is never reached. */
export function findIdleCaps(raw: RawConfig): readonly Found[] {
  const found = new Map<string, Found>();
  for (const chain of listChains(raw))
    for (const [place, { path, amount }] of chain.entries()) {
      const wider = chain.slice(place + 1).find((other) => other.amount < amount);
      if (wider === undefined || found.has(path.join('\n'))) continue;
      const says = `${formatTry(amount)} is more than ${wider.name} allows (${formatTry(wider.amount)}), so this cap never holds anything`;
      const proposals = [write([formatTry(wider.amount)], { after: ' or less' })];
      found.set(path.join('\n'), { path, fault: { says, proposals } });
    }
  return [...found.values()];
}

const getPrice = ({ price_per_url: price }: Partial<RawAccount>, service: 'standard' | 'fast'): Micros | null => {
  const text = typeof price === 'object' ? price[service] : price;
  return text === undefined ? null : parseTry(text);
};

/** A cap below the price of one page. A cap of 0 TRY is no mistake: nothing is to be bought. */
export const findCapsBelowPrice = eachWatch((placed, raw) => {
  const { account: id = '', service = 'standard' } = placed.watch;
  const account = raw.accounts[id] ?? {};
  const price = getPrice(account, service);
  if (price === null) return [];
  return [...listWatchCaps(placed), ...listAccountCaps(id, account)]
    .filter(({ amount }) => amount > 0 && amount < price)
    .map(({ path, amount }) => ({
      path,
      fault: {
        says: `${formatTry(amount)} is less than one page costs (${formatTry(price)} at service level ${service}), so nothing is ever bought`,
        proposals: [write([formatTry(price)], { after: ' or more' })],
      },
    }));
});

export function findPriceOfZero({ accounts }: RawConfig): readonly Found[] {
  return Object.entries(accounts).flatMap(([id, { price_per_url: price }]) => {
    const path = ['accounts', id, 'price_per_url'];
    const prices =
      typeof price === 'object' ? Object.entries(price) : price === undefined ? [] : [[null, price] as const];
    return prices
      .filter(([, text]) => text !== undefined && parseTry(text) === 0)
      .map(([level]) => ({
        path: level === null ? path : [...path, level],
        fault: {
          says: 'is a price of 0 TRY, so no cap and no floor holds anything before the first charge is known',
          removable: true,
        },
      }));
  });
}

/** A check of one page costs 0.50 TRY (spec 4.8). */
export const findIdleChecks = eachWatch(({ watch: { index_check: check }, toPath }) => {
  const cap = check?.per_day === undefined ? null : parseTry(check.per_day);
  if (cap !== null && cap > 0 && cap < INDEX_CHECK_PRICE) {
    const least = formatTry(INDEX_CHECK_PRICE);
    const says = `${formatTry(cap)} is less than one check costs (${least}), so nothing is ever checked`;
    return [
      { path: toPath('index_check', 'per_day'), fault: { says, proposals: [write([least], { after: ' or more' })] } },
    ];
  }
  if (check?.sample === undefined || Number.parseFloat(check.sample) > 0) return [];
  const says = 'is no page, so nothing is ever checked; leave index_check out if that is meant';
  return [{ path: toPath('index_check', 'sample'), fault: { says } }];
});
