import { decimalTry, type Micros } from '../../contract/money.ts';

const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** "1,234": the sandbox of workflows has no locale data worth relying on. */
export const count = (value: number): string => String(value).replace(THOUSANDS, ',');

export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const urls = (value: number): string => counted(value, 'URL');

export const batches = (value: number): string => counted(value, 'batch', 'batches');

/** "1,052.50 TRY". */
export function money(amount: Micros | null): string {
  if (amount === null) return 'price not known yet';
  const [whole = '', part] = decimalTry(amount).split('.');
  return `${whole.replace(THOUSANDS, ',')}.${part} TRY`;
}

/** A sentence's text without its full stop, to go on with. */
export const withoutStop = (text: string): string => text.replace(/[.]+$/, '');
