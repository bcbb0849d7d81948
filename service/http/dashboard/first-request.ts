import { BASE_PATH } from '../../../contract/version.ts';
import type { ServiceSettings } from '../../settings.ts';
import { copyButton } from './copy.ts';
import { type Html, html } from './html.ts';
import type { Visit } from './view.ts';

/** The address of the API as this customer reaches it. */
export const toApiAddress = ({ request }: Visit, { https, pathPrefix }: ServiceSettings): string =>
  `${https ? 'https' : request.protocol}://${request.host}${pathPrefix}${BASE_PATH}`;

/** A request that works as it is once API_KEY is set, copied with one click. */
export const showFirstRequest = (
  visit: Visit,
  settings: ServiceSettings,
): Html => html`<p>${visit.text.contract.firstText}</p>
<pre class="select-all" id="first-request">${writeRequest(toApiAddress(visit, settings))}</pre>
<p>${copyButton(visit, 'first-request')}</p>`;

const writeRequest = (address: string): string => `curl -X POST ${address}/submissions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: first-request-1" \\
  -d '{"project":"My shop","service":"standard","urls":["https://shop.example/a"]}'`;
