import { decimalTry, type Micros } from '../contract/money.ts';
import { toDetail } from '../src/temporal-api/summary.ts';

/** "1,234": the sandbox has no locale data worth relying on. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function urls(value: number): string {
  return `${count(value)} ${value === 1 ? 'URL' : 'URLs'}`;
}

export function money(amount: Micros | null): string {
  return amount === null ? 'price not known yet' : `${decimalTry(amount)} TRY`;
}

/** A small Markdown table for the Web UI. State and next step come first. */
export function table(rows: Readonly<Record<string, string>>): string {
  const lines = Object.entries(rows).map(([name, value]) => `| ${name} | ${toDetail(value).replaceAll('|', '\\|')} |`);
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}
