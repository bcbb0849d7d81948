import { type Html, html } from './html.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly shown: string;
}

interface Chart {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly highest: (value: string) => string;
  /** The figures again, for who cannot see the bars. */
  readonly figures: string;
}

const WIDTH = 600;
const HEIGHT = 140;
const TOP = 10;

/** A bar chart of days as SVG, without script or style attributes, and its figures as a table to open. */
export function barChart({ title, bars, highest, figures }: Chart): Html {
  const top = bars.reduce((most, bar) => (bar.value > most.value ? bar : most), { value: 0, shown: '', label: '' });
  const step = WIDTH / Math.max(1, bars.length);
  const rectangles = bars.map(({ label, value, shown }, index) => {
    const height = top.value === 0 || value <= 0 ? 0 : Math.max(1, ((HEIGHT - TOP) * value) / top.value);
    const round = (number: number) => Math.round(number * 100) / 100;
    return html`<rect class="bar" x="${round(index * step + step * 0.1)}" y="${round(HEIGHT - height)}" width="${round(step * 0.8)}" height="${round(height)}"><title>${label}: ${shown}</title></rect>`;
  });
  const [first, last] = [bars[0]?.label ?? '', bars.at(-1)?.label ?? ''];
  const summary = top.value === 0 ? title : `${title}; ${highest(`${top.label}, ${top.shown}`)}`;
  return html`<figure><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT + 1}" role="img" aria-label="${summary}">${rectangles}<line class="base" x1="0" x2="${WIDTH}" y1="${HEIGHT}" y2="${HEIGHT}"/></svg>
<p class="quiet">${first} – ${last}${top.value === 0 ? '' : `; ${highest(`${top.label}, ${top.shown}`)}`}</p>
<details><summary>${figures}: ${title}</summary><dl class="facts">${bars
    .filter(({ value }) => value !== 0)
    .map(({ label, shown }) => html`<div><dt>${label}</dt><dd>${shown}</dd></div>`)}</dl></details></figure>`;
}
