/**
 * SQLite plans a query with the value of a bare `LIMIT ?`, so it compiles the statement again for each value that is bound,
 * also for the same one: most of the time of a short query. It does not look into an expression.
 */
export const keepCompiled = (text: string): string => text.replaceAll(/\b(LIMIT|OFFSET) \?/g, '$1 CAST(? AS INTEGER)');
