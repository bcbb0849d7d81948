import { type CommandOutput, defineRecord, text } from '../../../cli-kit/record-schema.ts';

export const CODEC_SERVER_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'codec-server': {
    records: [
      defineRecord('listening', 'The codec server answers from now on.', {
        url: text('`http://HOST:PORT`, the endpoint for the Web UI'),
      }),
    ],
    summary: {},
  },
};

export const toListeningRecord = (url: string) => ({ type: 'listening', url });
