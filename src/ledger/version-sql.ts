import { type Query, raw } from '../database/sql.ts';
import { SLACK_MS, SPAN, SPAN_MS } from '../url/version.ts';

/** A column that holds a version, as a statement names it, for example `urls.version`. */
type Column = string;

const span = (version: Column): string =>
  `(CASE ${version} & 7 ${SPAN_MS.map((ms, code) => `WHEN ${code} THEN ${ms}`).join(' ')} END)`;

const slack = (version: Column): string => `(CASE WHEN ${version} & 7 >= ${SPAN.day} THEN ${SLACK_MS} ELSE 0 END)`;

/** `isLater` of src/url/version.ts in SQL, for both databases. Not true where one is unknown. */
const later = (a: Column, b: Column): string =>
  `((${a} & 7) = (${b} & 7) AND ${a} > ${b} OR (${a} & 7) <> (${b} & 7)
    AND (${a} >> 3) - ${slack(a)} >= (${b} >> 3) + ${span(b)} + ${slack(b)})`;

export const isLaterSql = (a: Column, b: Column): Query => raw(later(a, b));

/** `toLatest` of src/url/version.ts in SQL. */
export const toLatestSql = (a: Column, b: Column): Query =>
  raw(`(CASE WHEN ${a} IS NULL OR ${later(b, a)} THEN coalesce(${b}, ${a})
    WHEN (${b} & 7) < (${a} & 7) AND NOT ${later(a, b)} THEN ${b} ELSE ${a} END)`);

/** The first moment that a version names, in milliseconds since 1970. */
export const getStartSql = (version: Column): Query => raw(`(${version} >> 3)`);

export const getSpanSql = (version: Column): Query => raw(`(${version} & 7)`);
