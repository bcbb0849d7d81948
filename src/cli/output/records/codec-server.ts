import { type CommandOutput, text } from '../../../cli-kit/record-schema.ts';
import { plainRecord } from '../../../cli-kit/record-table.ts';

export const toListeningRecord = plainRecord('listening', 'The codec server answers from now on.', {
  url: text('`http://HOST:PORT`, the endpoint for the Web UI'),
});

export const CODEC_SERVER_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'codec-server': { records: [toListeningRecord.schema], summary: {} },
};
