/** An error of the driver: a SQLSTATE, a code of the operating system, or a sentence alone. */
export type PostgresFailure = Error & { readonly code?: string };

/**
 * Class 08 connection, 28 authorization, 3D no such database, 53 resources, 57 shut-down and cancel, 25006 a standby
 * that only reads, 55P03 a lock that is held too long, 40P01 and 40001 transactions that stand against each other; and
 * sockets that broke before an answer.
 */
const UNAVAILABLE =
  /^(08|28|3D|53|57|25006|55P03|40P01|40001|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;

/** The server answered these: its transaction is rolled back, and the connection can be used again. */
const ANSWERED = /^(28|3D|53|57014|25006|55P03|40P01|40001)/;

/** Whether Postgres cannot be used now: nothing is wrong with the statement. */
export function isUnavailable(error: unknown): error is PostgresFailure {
  if (!(error instanceof Error)) return false;
  const { code } = error as PostgresFailure;
  return code === undefined ? isConnectionFailure(error) : UNAVAILABLE.test(code);
}

/**
 * Deadlock and serialization failure: Postgres ended this transaction so that another one could go on. It did nothing
 * and may run again at once.
 */
export const isConflict = (error: unknown): boolean =>
  /^(40P01|40001)$/.test((error as PostgresFailure | undefined)?.code ?? '');

/** Whether the server answered: the outcome of the statement is known. */
export const isAnswered = ({ code = '' }: PostgresFailure): boolean => ANSWERED.test(code);

/**
 * Whether the same call may work in a minute without anyone's help: the server starts, stops, fails over or is full. Not a
 * refused password, a missing database, a lock that was held too long or a conflict, which are about one statement.
 */
export const isTemporary = (error: unknown): boolean =>
  isUnavailable(error) && !/^(28|3D|55P03|57014|40)/.test(error.code ?? '');

/** The driver's own failures. It gives them no code, so only their sentences tell them from other errors. */
function isConnectionFailure({ message }: Error): boolean {
  return /^Connection terminated|is not queryable$|^timeout exceeded when trying to connect$|^Query read timeout$/.test(
    message,
  );
}
