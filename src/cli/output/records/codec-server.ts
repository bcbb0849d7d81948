import { type CommandOutput, text } from '../../../cli-kit/record-schema.ts';
import { recordOf } from '../../../cli-kit/record-table.ts';

export const toListeningRecord = recordOf<string>()('listening', 'The codec server answers from now on.', {
  url: [text('`http://HOST:PORT`, the endpoint for the Web UI'), (url) => url],
});

export const CODEC_SERVER_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'codec-server': { records: [toListeningRecord.schema], summary: {} },
};
