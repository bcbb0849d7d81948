import type { Window } from '../../settings.ts';
import { SlidingWindow } from './sliding-window.ts';

/** The least recently used counter is dropped first. */
const MAX_COUNTERS = 10_000;

/** One counter per name, in memory, kept in the order of use. */
export function countByName(settings: Window): (name: string) => SlidingWindow {
  const known = new Map<string, SlidingWindow>();
  return (name) => {
    const window = known.get(name) ?? new SlidingWindow(settings);
    known.delete(name);
    known.set(name, window);
    const [oldest] = known.keys();
    if (known.size > MAX_COUNTERS && oldest !== undefined) known.delete(oldest);
    return window;
  };
}

/** Counts one more when every window has room, and otherwise nothing. Returns the seconds to wait, 0 when counted. */
export function takeOrWait(time: number, ...windows: readonly SlidingWindow[]): number {
  for (const window of windows) window.advance(time);
  const opensAt = Math.max(...windows.map((window) => window.opensAt(time)));
  if (opensAt > time) return Math.ceil((opensAt - time) / 1_000);
  for (const window of windows) window.add(time);
  return 0;
}
