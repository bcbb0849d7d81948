import type { Json } from '../../api-client/read/fields.ts';
import { type Leaf, listLeaves, replaceAt, type Scalar } from './leaves.ts';

/** What was read of an answer, by name; null: it was not found. */
export type Values = Readonly<Record<string, string | null>>;

/**
 * From where each value of an answer was read: those leaves whose change changes it. So this shows what the readers do, whatever
 * that is, and not what a second description of them says. A value that `read` leaves out proves nothing.
 */
export function findSources(answer: Json, read: (answer: Json) => Values): ReadonlyMap<string, readonly Leaf[]> {
  const values = Object.entries(read(answer));
  const sources = new Map<string, Leaf[]>();
  for (const leaf of listLeaves(answer)) {
    const changed = read(replaceAt(answer, leaf.path, alter(leaf.value)));
    for (const [name, value] of values)
      if (value !== null && name in changed && changed[name] !== value)
        sources.set(name, [...(sources.get(name) ?? []), leaf]);
  }
  return sources;
}

/** Another value of the same form: the next number, another last digit, a longer word. */
function alter(value: Scalar): Scalar {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  const altered = value.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
  return altered === value ? `${value}x` : altered;
}
