import { Type } from '../../json-schema/type.ts';
import { optional, secretOf, section, Text } from './values.ts';

export const Admin = section('Metrics and health of a worker. Absent: no listener. A change needs a restart.', {
  ...optional({
    host: Text('Address of the listener: plain HTTP without a key, so not public.', {
      default: '127.0.0.1',
      examples: ['0.0.0.0'],
    }),
  }),
  port: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    description: 'Port of /metrics, /healthz and /readyz.',
    examples: [9_464],
  }),
  ...optional({
    runs: section(
      "A CMS may ask for a run: `POST /runs/WATCH` with `secret` as bearer token, or the body's HMAC-SHA-256 in X-Hub-Signature-256. Absent: nobody can.",
      { secret: secretOf('COURIER_PUBLISH_SECRET', '/run/secrets/courier-publish') },
    ),
  }),
});
