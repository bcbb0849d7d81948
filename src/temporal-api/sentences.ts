import { decimalTry, type Micros } from '../../contract/money.ts';
import { formatCounted } from '../submission/count.ts';

const THOUSANDS = /\B(?=(\d{3})+$)/g;

export { formatCount as count, formatCounted as counted } from '../submission/count.ts';

export const urls = (value: number): string => formatCounted(value, 'URL');

export const batches = (value: number): string => formatCounted(value, 'batch', 'batches');

/** "1,052.50 TRY". */
export function money(amount: Micros | null): string {
  if (amount === null) return 'price not known yet';
  const [whole = '', part] = decimalTry(amount).split('.');
  return `${whole.replace(THOUSANDS, ',')}.${part} TRY`;
}

export { withoutStop } from '../submission/reason.ts';
