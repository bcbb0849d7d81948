/** What was looked at. */
export const CHECKS = [
  'configuration',
  'secrets',
  'account',
  'key',
  'balance',
  'price',
  'list',
  'clock',
  'contract',
  'rate_limits',
  'temporal',
  'schedules',
  'worker',
  'ledger',
  'disk',
  'sitemap',
  'notifications',
  'runs',
] as const;

export interface Finding {
  readonly check: (typeof CHECKS)[number];
  /** The account, watch or file that it is about; null for the whole. */
  readonly subject: string | null;
  readonly level: 'ok' | 'warn' | 'fail';
  /** What was found. */
  readonly message: string;
  /** What to do; null when nothing. */
  readonly next: string | null;
  /** A failure that may pass by itself: the other side does not respond. */
  readonly transient: boolean;
  /** The service does not know the API key: the whole has the exit code of that. */
  readonly isKeyRejected?: boolean;
}

type About = Pick<Finding, 'check' | 'subject'>;

export const ok = (about: About, message: string): Finding => ({
  ...about,
  level: 'ok',
  message,
  next: null,
  transient: false,
});

export const warn = (about: About, message: string, next: string): Finding => ({
  ...about,
  level: 'warn',
  message,
  next,
  transient: false,
});

export const fail = (
  about: About,
  message: string,
  next: string,
  { transient = false, isKeyRejected = false } = {},
): Finding => ({ ...about, level: 'fail', message, next, transient, isKeyRejected });
