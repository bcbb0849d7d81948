/** A value that this program's own code put there. Throws a RangeError where it is missing: a bug, never a request's fault. */
export function required<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new RangeError(`${what} is missing`);
  return value;
}
