/** What a hostile customer does to the service. */
export const HOSTILE_ACTS = [
  'over its limit',
  'deep JSON',
  'slow uploads',
  '60 half bodies',
  'locked rows',
  'large invalid bodies',
  'url filter',
] as const;
export type HostileAct = (typeof HOSTILE_ACTS)[number];
