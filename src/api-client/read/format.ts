import type { AmountFormat } from '../../submission/amount-format.ts';
import {
  ANSWER_FIELD_KEYS,
  ANSWER_FIELDS,
  type AnswerFieldKey,
  type FieldNames,
} from '../../submission/answer-fields.ts';
import {
  createStatusMapping,
  type StatusMap,
  type StatusMapping,
  type UnknownStatus,
} from '../../submission/status-map.ts';
import { normalizeName } from './fields.ts';
import { createMoneyReader, type MoneyReader } from './money.ts';

/** How the answers of one account's service are read. */
export interface AnswerFormat {
  readonly statuses: StatusMapping;
  /** Where each value may stand, the likeliest name first. */
  readonly names: Readonly<Record<AnswerFieldKey, readonly string[]>>;
  readonly money: MoneyReader;
}

export interface AnswerFormatSettings {
  /** Maps the service's status names to states and verdicts. */
  readonly statusMap?: StatusMap;
  /** What the service calls its values, where that is in no list of the usual names. */
  readonly fieldNames?: FieldNames;
  /** Null or absent: an amount that two countries read differently is not read. */
  readonly amounts?: AmountFormat | null;
  /** Called once for each status that the status map lacks. Such a status counts as open, never as failed. */
  readonly onUnknownStatus?: (status: UnknownStatus) => void;
}

export const createAnswerFormat = ({
  statusMap,
  fieldNames = {},
  amounts = null,
  onUnknownStatus,
}: AnswerFormatSettings = {}): AnswerFormat => ({
  statuses: createStatusMapping(statusMap, onUnknownStatus),
  names: Object.fromEntries(
    ANSWER_FIELD_KEYS.map((key) => [key, [...(fieldNames[key] ?? []).map(normalizeName), ...ANSWER_FIELDS[key].names]]),
  ) as unknown as AnswerFormat['names'],
  money: createMoneyReader(amounts),
});
