import type { ApiError } from '../../api-client/errors.ts';
import { EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';

/** The exit code of a command that could not read from the service. */
export const toReadFailureCode = ({ status }: ApiError): ExitCode =>
  status === 401 ? EXIT.keyRefused : EXIT.transient;
