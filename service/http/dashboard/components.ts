import type { Session } from '../../accounts/sessions.ts';
import { type Html, html, nothing } from './html.ts';
import type { Text } from './text/en.ts';
import type { View } from './view.ts';

export const csrfField = ({ csrf }: Session): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;

export const notice = (text: string | undefined, kind: 'good' | 'bad' = 'bad'): Html =>
  text === undefined
    ? nothing
    : html`<p class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`;

/** A state in words, with a sign and a colour of its own. */
export function stateBadge({ text }: View, state: keyof Text['states']): Html {
  return html`<span class="state ${state}">${text.states[state]}</span>`;
}

/** Stands in a cell that holds nothing; such a cell is left out on a narrow screen. */
export const NONE = '–';

type Cell = Html | string | number;

/** number: aligned at its end. text: may break anywhere. short, the default: stays on one line. */
export type Column<Row> = readonly [name: string, cell: (row: Row) => Cell, kind?: 'number' | 'text' | 'short'];

interface Table<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown instead of a table without rows. */
  readonly empty?: string;
}

/**
 * A table; on a narrow screen each row becomes a card with the column names beside the values. The roles keep it a
 * table for screen readers there, too. The first column names the row.
 */
export function table<Row>({ caption, columns, rows, empty = '' }: Table<Row>): Html {
  if (rows.length === 0) return html`<h2 class="caption">${caption}</h2><p>${empty}</p>`;
  const show =
    (row: Row) =>
    ([name, cell, kind = 'short']: Column<Row>, index: number) => {
      const value = cell(row);
      return index === 0
        ? html`<th scope="row" role="rowheader" class="${kind}" data-name="${name}"><span>${value}</span></th>`
        : html`<td role="cell" class="${kind}${value === NONE ? ' none' : ''}" data-name="${name}"><span>${value}</span></td>`;
    };
  return html`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(([name, , kind = 'short']) => html`<th scope="col" role="columnheader" class="${kind}">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`<tr role="row">${columns.map(show(row))}</tr>
`,
  )}</tbody></table>`;
}

/** Names and values that belong together. */
export const facts = (pairs: readonly (readonly [string, Html | string | number])[]): Html =>
  html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** Links to the page before and after. A page behind the last one links to the last one. */
export function pager({ text, format }: View, path: string, page: number, pages: number): Html {
  if (pages <= 1 && page === 1) return nothing;
  const link = (number: number, name: string, rel: string) =>
    html`<a rel="${rel}" href="${path}${path.includes('?') ? '&' : '?'}page=${number}">${name}</a> `;
  return html`<nav class="pager" aria-label="${text.common.pages}">${
    page > 1 ? link(Math.max(1, Math.min(page - 1, pages)), text.common.previous, 'prev') : nothing
  }<span>${text.common.page(format.count(page), format.count(pages))}</span> ${
    page < pages ? link(page + 1, text.common.next, 'next') : nothing
  }</nav>`;
}

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly chosen: string;
}

export const select = ({ name, label, options, chosen }: Choice): Html =>
  html`<label>${label} <select name="${name}">${options.map(
    ([value, shown]) => html`<option value="${value}"${value === chosen ? html` selected` : nothing}>${shown}</option>`,
  )}</select></label>`;
