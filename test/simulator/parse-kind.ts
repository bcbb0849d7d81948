import type { SeedKind } from './world/draw-scenario.ts';

const KINDS: readonly SeedKind[] = [
  'usual',
  'small',
  'focused',
  'sequence',
  'varied',
  'service',
  'paired',
  'people',
  'mixed',
  'known',
];

/** The kind of seeds that a command names; `--small` is short for `--kind small`. */
export function parseKind({ kind, small }: { readonly kind?: string | undefined; readonly small: boolean }): SeedKind {
  const named = kind ?? (small ? 'small' : 'usual');
  const known = KINDS.find((each) => each === named);
  if (known === undefined) throw new Error(`--kind ${named}: there are ${KINDS.join(', ')}`);
  return known;
}
