import { SlidingWindow } from '../limits/sliding-window.ts';

const PER_ACCOUNT = { limit: 10, windowMs: 60_000 };
const ALTOGETHER = { limit: 100, windowMs: 60_000 };
const MAX_NAMES = 10_000;

/** Counts attempts to sign in, so that a password cannot be guessed and nobody keeps the cores busy with hashing. */
export function attemptLimiter(now: () => number): (account: string) => boolean {
  const all = new SlidingWindow(ALTOGETHER);
  const byAccount = new Map<string, SlidingWindow>();
  return (account) => {
    const own = byAccount.get(account) ?? new SlidingWindow(PER_ACCOUNT);
    if (byAccount.size >= MAX_NAMES) byAccount.clear();
    byAccount.set(account, own);
    const time = now();
    for (const window of [all, own]) window.advance(time);
    if (all.remaining === 0 || own.remaining === 0) return false;
    for (const window of [all, own]) window.add(time);
    return true;
  };
}
