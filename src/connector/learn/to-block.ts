import { stringify } from 'yaml';
import type { RawAccount } from '../../config/schema.ts';
import type { Proposal } from './learned.ts';

type Tree = { [key: string]: Tree | readonly unknown[] | string | number };

/**
 * The settings of an account as YAML that can be pasted over its own: what the file has under the same names stays. What only
 * you can decide is a comment. Null: nothing is proposed.
 */
export function toBlock(account: string, raw: RawAccount, proposals: readonly Proposal[]): string | null {
  if (proposals.length === 0) return null;
  const settings: Tree = {};
  for (const key of ['field_names', 'status_map', 'limits'] as const)
    if (proposals.some(({ setting, decided }) => decided && setting.split('.')[0] === key))
      settings[key] = structuredClone((raw[key] ?? {}) as Tree);
  for (const { setting, values, decided } of proposals) if (decided) put(settings, setting.split('.'), values);
  const questions = proposals.flatMap(({ setting, values, why, decided }) =>
    decided
      ? []
      : [`# accounts.${account}.${setting}: ${why}${values.length === 0 ? '' : ` (${values.map(quote).join(', ')})`}`],
  );
  if (Object.keys(settings).length === 0) return questions.join('\n');
  const block = stringify(settings, { lineWidth: 0 });
  const lines = block.split('\n').filter((line) => line !== '');
  return ['accounts:', `  ${account}:`, ...lines.map((line) => `    ${line}`), ...questions].join('\n');
}

const quote = (value: string | number): string => JSON.stringify(value);

/** Lists get what they lack; `amounts` and limits are one value. */
function put(tree: Tree, [first = '', ...rest]: readonly string[], values: readonly (string | number)[]): void {
  const isList = first !== 'amounts' && !isLimit(first);
  if (rest.length > 0) {
    const inner = (tree[first] ?? {}) as Tree;
    tree[first] = inner;
    put(inner, rest, values);
  } else if (isList) tree[first] = [...new Set([...((tree[first] ?? []) as readonly unknown[]), ...values])];
  else tree[first] = values[0] ?? '';
}

const isLimit = (key: string): boolean => ['minute', 'hour', 'day'].includes(key);
