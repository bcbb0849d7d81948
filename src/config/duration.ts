const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** "90s", "30m", "6h", "3d", "250ms" in milliseconds; null when the text is no duration. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return null;
  const value = Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
  return Number.isSafeInteger(value) ? value : null;
}

/** "3 h 12 min", "45 s", "2 d": the two largest units, for people. */
export function formatDuration(ms: number): string {
  const steps = [
    ['d', UNITS.d],
    ['h', UNITS.h],
    ['min', UNITS.m],
    ['s', UNITS.s],
  ] as const;
  if (ms < UNITS.s) return `${Math.max(0, Math.round(ms))} ms`;
  const at = steps.findIndex(([, size]) => ms >= size);
  const [unit, size] = steps[at]!;
  const whole = Math.floor(ms / size);
  const next = steps[at + 1];
  const rest = next === undefined ? 0 : Math.floor((ms % size) / next[1]);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${next![0]}`;
}
