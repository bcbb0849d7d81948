import * as Plot from '@observablehq/plot';
import domino from 'domino';
import { DAY } from '../ledger/reports/watch-days.ts';
import type { Formats } from './formats.ts';

/** A plot is drawn for each width that it may have: scaled down, its texts would be too small to read. */
const SIZES = {
  full: { width: 1094, height: 260 },
  wide: { width: 520, height: 230 },
  narrow: { width: 328, height: 210 },
} as const;
export type Size = keyof typeof SIZES;

/** What a plot shows: marks over the days of the report. */
export interface Drawing {
  /** For readers who do not see it. */
  readonly label: string;
  readonly unit: string;
  readonly since: number;
  readonly today: number;
  /** The y axis begins at 0 and ends here at least. */
  readonly top: number;
  readonly marks: readonly Plot.Markish[];
}

const TICKS = { full: 10, wide: 6, narrow: 4 } as const;

/** As SVG text, without a script. Colours are variables of the page, so they follow its scheme. */
export function draw({ label, unit, since, today, top, marks }: Drawing, size: Size, formats: Formats): string {
  const svg = Plot.plot({
    document: domino.createDocument(''),
    className: 'plot',
    ...SIZES[size],
    marginLeft: 48,
    marginRight: 22,
    marginTop: 26,
    marginBottom: 28,
    x: {
      type: 'utc',
      domain: [new Date(since), new Date(today + DAY)],
      ticks: chooseTicks(since, today, TICKS[size]),
      tickFormat: (at: Date) => formats.shortDay(Number(at)),
      tickSize: 4,
      label: null,
    },
    y: {
      domain: [0, top <= 0 ? 1 : top],
      nice: true,
      grid: true,
      ticks: 4,
      tickSize: 0,
      tickFormat: (value: number) => (Number.isInteger(value) || top > 4 || top < 1 ? formats.axisNumber(value) : ''),
      label: unit,
      labelAnchor: 'top',
      labelArrow: 'none',
    },
    marks: [...marks, Plot.ruleY([0], { stroke: 'var(--axis)' })],
  } as Plot.PlotOptions) as unknown as SvgElement;
  svg.querySelector('style')?.remove();
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  for (const part of Array.from(svg.querySelectorAll('[aria-label]'))) part.removeAttribute('aria-label');
  return svg.outerHTML;
}

/** What is used of the drawn element: the types of a browser are not those of this program. */
interface SvgElement {
  readonly outerHTML: string;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): { remove(): void } | null;
  querySelectorAll(selector: string): Iterable<{ removeAttribute(name: string): void }>;
}

/** The middle of some days, evenly spaced back from today, which is always one. */
function chooseTicks(since: number, today: number, most: number): Date[] {
  const days = Math.round((today - since) / DAY) + 1;
  const step = Math.max(1, Math.ceil(days / most));
  const ticks: Date[] = [];
  for (let day = today; day >= since; day -= step * DAY) ticks.unshift(new Date(day + DAY / 2));
  return ticks;
}

const middle = ({ day }: { readonly day: number }): Date => new Date(day + DAY / 2);

export interface Point {
  readonly day: number;
  readonly value: number;
}

/** A line with a dot for each day that has a value. */
export const drawLine = (
  points: readonly Point[],
  colour: string,
  { dashed = false }: { readonly dashed?: boolean } = {},
): Plot.Markish[] => [
  Plot.line(points, {
    x: middle,
    y: 'value',
    stroke: colour,
    strokeWidth: 2,
    ...(dashed ? { strokeDasharray: '4 3' } : {}),
  }),
  Plot.dot(points, { x: middle, y: 'value', fill: colour, r: points.length > 40 ? 1.5 : 2.5 }),
];

export interface Bar {
  readonly day: number;
  readonly from: number;
  readonly to: number;
}

/** One bar a day, with a gap between days. */
export const drawBars = (bars: readonly Bar[], colour: string): Plot.Markish =>
  Plot.rect(
    bars.filter(({ from, to }) => to > from),
    {
      x1: ({ day }: Bar) => new Date(day + DAY * 0.12),
      x2: ({ day }: Bar) => new Date(day + DAY * 0.88),
      y1: 'from',
      y2: 'to',
      fill: colour,
    },
  );

export const drawLimit = (value: number): Plot.Markish =>
  Plot.ruleY([value], { stroke: 'var(--limit)', strokeWidth: 1.5, strokeDasharray: '6 4' });
