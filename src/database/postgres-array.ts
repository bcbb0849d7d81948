/**
 * A column of rows as a Postgres array in its binary form: Postgres need not parse it, and quotes and backslashes need no
 * escape. The form is that of `array_recv`: a header, then each element with its length.
 */
type Element = string | number | bigint | null;

const OID = { bigint: 20, text: 25 } as const;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const BIGINT_BYTES = 8;
/** A character of a string has at most this many bytes in UTF-8. */
const CHARACTER_BYTES = 3;
/** The length of an element that is NULL. */
const NULL = -1;
const TWO_TO_32 = 2 ** 32;

export function toBinaryArray(
  rows: readonly (readonly Element[])[],
  column: number,
  type: 'text' | 'bigint',
): Uint8Array {
  const array = Buffer.allocUnsafe(HEADER_BYTES + countBytes(rows, column, type));
  let at = HEADER_BYTES;
  let nulls = 0;
  for (const row of rows) {
    const value = row[column] ?? null;
    if (value === null) {
      nulls = 1;
      at = array.writeInt32BE(NULL, at);
    } else if (type === 'bigint') {
      at = writeInteger(array, value, array.writeInt32BE(BIGINT_BYTES, at));
    } else {
      const bytes = array.write(String(value), at + LENGTH_BYTES);
      at = array.writeInt32BE(bytes, at) + bytes;
    }
  }
  array.writeInt32BE(rows.length === 0 ? 0 : 1, 0);
  array.writeInt32BE(nulls, 4);
  array.writeInt32BE(OID[type], 8);
  array.writeInt32BE(rows.length, 12);
  array.writeInt32BE(1, 16);
  return array.subarray(0, rows.length === 0 ? 12 : at);
}

/** As many bytes as the elements need at most. */
function countBytes(rows: readonly (readonly Element[])[], column: number, type: 'text' | 'bigint'): number {
  if (type === 'bigint') return rows.length * (LENGTH_BYTES + BIGINT_BYTES);
  let characters = 0;
  for (const row of rows) {
    const value = row[column] ?? null;
    if (value !== null) characters += typeof value === 'string' ? value.length : String(value).length;
  }
  return rows.length * LENGTH_BYTES + characters * CHARACTER_BYTES;
}

/** Returns where the next element begins. */
function writeInteger(array: Buffer, value: string | number | bigint, at: number): number {
  if (typeof value !== 'number') return array.writeBigInt64BE(BigInt(value), at);
  if (!Number.isSafeInteger(value)) throw new RangeError(`not an integer that a row may have: ${value}`);
  return array.writeUInt32BE(value >>> 0, array.writeInt32BE(Math.floor(value / TWO_TO_32), at));
}
