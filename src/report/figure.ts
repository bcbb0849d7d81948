import { type Drawing, draw, type Size } from './draw.ts';
import type { Formats } from './formats.ts';
import { type Html, html, Html as Markup } from './html.ts';

/** A plot with its table, or a table alone. */
export interface Figure {
  /** Says what it shows. */
  readonly title: string;
  /** Null where there is nothing to draw. */
  readonly drawing: Drawing | null;
  /** What the colours mean; none where there is one only. */
  readonly legend: readonly LegendEntry[];
  /** Plain text, below. */
  readonly notes: readonly string[];
  readonly table: Table;
  /** The table is what is shown: it is not folded. */
  readonly open?: boolean;
}

export interface LegendEntry {
  readonly label: string;
  readonly colour: string;
  readonly line: 'solid' | 'dashed' | 'block';
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

interface Column {
  readonly name: string;
  readonly numeric?: boolean;
}

/** A column of a table of such rows: its name, what its cells show, and whether these are numbers. */
export type ColumnOf<Row> = readonly [name: string, cell: (row: Row) => Cell, kind?: 'numeric'];

export const toTable = <Row>(rows: readonly Row[], columns: readonly ColumnOf<Row>[]): Table => ({
  columns: columns.map(([name, , kind]) => ({ name, numeric: kind === 'numeric' })),
  rows: rows.map((row) => columns.map(([, cell]) => cell(row))),
});

/** A text; or one of a service or a site, in whatever language and length; or one with a bar of this share. */
export type Cell = string | { readonly foreign: string } | { readonly text: string; readonly share: number };

/** `isAlone`: it has the whole width of the page. */
export function renderFigure(
  figure: Figure,
  formats: Formats,
  { isAlone = false }: { readonly isAlone?: boolean } = {},
): Html {
  const { title, drawing, legend, notes, table, open = false } = figure;
  const isEmpty = table.rows.length === 0;
  return html`<figure>
<figcaption>${title}</figcaption>
${legend.length === 0 || drawing === null ? null : html`<ul class="legend">${legend.map(renderLegend)}</ul>`}
${drawing === null ? null : renderDrawing(drawing, isAlone ? ['full', 'wide', 'narrow'] : ['wide', 'narrow'], formats)}
${notes.map((note) => html`<p class="note">${note}</p>`)}
${isEmpty ? null : open ? renderTable(table, title) : html`<details><summary>${formats.say('table')}<span class="hidden">: ${title}</span></summary>${renderTable(table, title)}</details>`}
</figure>
`;
}

/** The page shows the one that fits. */
const renderDrawing = (drawing: Drawing, sizes: readonly Size[], formats: Formats): Html =>
  html`${sizes.map((size) => html`<div class="${size}">${new Markup(draw(drawing, size, formats))}</div>`)}`;

const renderLegend = ({ label, colour, line }: LegendEntry): Html =>
  html`<li><span class="swatch ${line}" style="--swatch:${colour}"></span>${label}</li>`;

/** It scrolls within itself where it is wider than its place; then it must be reachable with the keyboard. */
function renderTable({ columns, rows }: Table, label: string): Html {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table>
<thead><tr>${columns.map(({ name, numeric = false }) => html`<th scope="col"${numeric ? NUMERIC : null}>${name}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell, at) => renderCell(cell, columns[at]?.numeric === true))}</tr>\n`)}</tbody>
</table></div>`;
}

const NUMERIC = html` class="numeric"`;

function renderCell(cell: Cell, numeric: boolean): Html {
  if (typeof cell === 'string') return html`<td${numeric ? NUMERIC : null}>${cell}</td>`;
  if ('foreign' in cell) return html`<td class="foreign" translate="no">${cell.foreign}</td>`;
  return html`<td class="numeric bar"><span style="--share:${cell.share.toFixed(3)}"></span>${cell.text}</td>`;
}
