/** An error of the driver: a SQLSTATE, a code of the operating system, or a sentence alone. */
export type PostgresFailure = Error & { readonly code?: string };

/**
 * Class 08 connection, 28 authorization, 3D no such database, 53 resources, 57 shut-down and cancel, 25006 a standby
 * that only reads, 55P03 a lock that is held too long; and sockets that broke before an answer.
 */
const UNAVAILABLE = /^(08|28|3D|53|57|25006|55P03|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;

/** The server answered these: its transaction is rolled back, and the connection can be used again. */
const ANSWERED = /^(28|3D|53|57014|25006|55P03)/;

/** Whether Postgres cannot be used now: nothing is wrong with the statement. */
export function isUnavailable(error: unknown): error is PostgresFailure {
  if (!(error instanceof Error)) return false;
  const { code } = error as PostgresFailure;
  return code === undefined ? isConnectionFailure(error) : UNAVAILABLE.test(code);
}

/** Whether the server answered: the outcome of the statement is known. */
export const isAnswered = ({ code = '' }: PostgresFailure): boolean => ANSWERED.test(code);

/**
 * Whether the same call may work in a minute without anyone's help: the server starts, stops, fails over or is full. Not a
 * refused password, a missing database, or a lock that was held too long.
 */
export const isTemporary = (error: unknown): boolean =>
  isUnavailable(error) && !/^(28|3D|55P03|57014)/.test(error.code ?? '');

/** The driver's own failures. It gives them no code, so only their sentences tell them from other errors. */
function isConnectionFailure({ message }: Error): boolean {
  return /^Connection terminated|is not queryable$|^timeout exceeded when trying to connect$|^Query read timeout$/.test(
    message,
  );
}
