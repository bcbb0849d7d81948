const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** "90s", "30m", "6h", "3d", "250ms" in milliseconds; null when the text is not a duration. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return null;
  const value = Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
  return Number.isSafeInteger(value) ? value : null;
}
