import { Type } from '../../json-schema/type.ts';
import { group, PATTERN, secretOf, Text } from './values.ts';

const File = (description: string, example: string) =>
  Type.String({ pattern: PATTERN.file, description, examples: [example] });

const Tls = group(
  "`{}`: TLS with the system's authorities. Changed files are read again. Absent: no TLS, unless there is an API key.",
  {
    ca: File("File with the authorities' certificates. Absent: those of the system.", 'certs/ca.pem'),
    cert: File('File with the client certificate (mTLS). Needs `key`.', 'certs/courier.pem'),
    key: File('File with its private key, not encrypted.', '/run/secrets/courier-key.pem'),
    server_name: Text('Name that the certificate of the server must have. Absent: the host of `address`.', {
      examples: ['temporal.internal'],
    }),
  },
);

export const Temporal = group('Where the workflows run.', {
  address: Type.String({
    description: 'host:port of a Temporal server. Empty: the TEMPORAL_* variables and profiles, else a local server.',
    default: '',
    examples: ['temporal.internal:7233'],
  }),
  namespace: Text('Namespace. Any number of ledgers may share one.', { default: 'default', examples: ['courier'] }),
  tls: Tls,
  api_key: secretOf('TEMPORAL_API_KEY', '/run/secrets/temporal'),
  encryption: group(
    'Encrypts what the Temporal server stores, with a key of 32 bytes in base64 or hexadecimal. Without `key` nothing more is encrypted; what was stays readable.',
    {
      key: secretOf('COURIER_PAYLOAD_KEY', '/run/secrets/courier-payloads'),
      former_keys: Type.Array(secretOf('COURIER_PAYLOAD_KEY_2025', '/run/secrets/courier-payloads-2025'), {
        description: 'Former keys, which only decrypt.',
        examples: [[{ file: '/run/secrets/courier-payloads-2025' }]],
      }),
    },
  ),
});
