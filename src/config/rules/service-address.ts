import { type Fault, write } from '../fault.ts';
import { at, eachAccount } from './each.ts';

/** What the connector puts behind the address (spec 4). */
const ENDPOINT = /\/(submissions(\/[^/]+)?|balance|me|stats|index-check|openapi\.json|docs)$/;

/** Where services of the specification are (spec 1). */
const API_PATH = '/api/v1';

const eachAddress = (find: (address: URL) => Fault | null) =>
  eachAccount(({ base_url: text }, path) => {
    const address = text === undefined ? null : URL.parse(text);
    return at([...path, 'base_url'], address === null ? null : find(address));
  });

const change = (
  address: URL,
  changes: Partial<Pick<URL, 'pathname' | 'search' | 'hash' | 'protocol' | 'port'>>,
): string => {
  const { href } = Object.assign(new URL(address), changes);
  return href.replace(/\/$/, '');
};

const getPath = ({ pathname }: URL): string => pathname.replace(/\/+$/, '');

export const findEndpoint = eachAddress((address) => {
  const [ending] = ENDPOINT.exec(getPath(address)) ?? [];
  if (ending === undefined) return null;
  const pathname = getPath(address).slice(0, -ending.length);
  const says = `ends with ${ending}, which every request would have twice; the service would not be found`;
  return { says, proposals: [write([change(address, { pathname })])] };
});

export const findQuery = eachAddress((address) => {
  if (address.search === '' && address.hash === '') return null;
  const says = `has ${address.search === '' ? 'a fragment (#)' : 'a query (?)'}, and every request would be lost in it`;
  return { says, proposals: [write([change(address, { search: '', hash: '' })])] };
});

export const findNoPath = eachAddress((address) => {
  if (getPath(address) !== '') return null;
  const says = `has no path; a service of this API is usually below ${API_PATH}, and elsewhere no request is understood`;
  return { says, proposals: [write([change(address, { pathname: API_PATH })])] };
});

export const findOtherVersion = eachAddress((address) => {
  const [, before = '', version = '1'] = /^(.*)\/v(\d+)$/i.exec(getPath(address)) ?? [];
  if (Number(version) === 1) return null;
  const says = `names version ${version} of the API, and this program speaks version 1`;
  return { says, proposals: [write([change(address, { pathname: `${before}/v1` })])] };
});

export const findDoubleSlash = eachAddress((address) => {
  if (!address.pathname.includes('//')) return null;
  const says = 'has "//" in its path, where services answer with "not found"';
  return { says, proposals: [write([change(address, { pathname: address.pathname.replaceAll(/\/{2,}/g, '/') })])] };
});

export const findPlainPort = eachAddress((address) => {
  if (address.protocol !== 'https:' || address.port !== '80') return null;
  const says = 'asks for https at port 80, where servers speak http';
  return { says, proposals: [write([change(address, { port: '' })])] };
});

export const findClearText = eachAddress((address) => {
  if (address.protocol !== 'http:' || isNearby(address.hostname)) return null;
  const says = `sends the API key unencrypted to ${address.hostname}: whoever reads it can spend the balance`;
  return { says, proposals: [write([change(address, { protocol: 'https:' })])] };
});

/** Whether a host is this machine or in a network of one's own, as far as its name says. */
export function isNearby(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (name.includes(':')) return /^(::1?$|f[cd]|fe[89ab])/.test(name);
  if (/^[\d.]+$/.test(name))
    return /^(127|10|0|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(name);
  return (
    !name.includes('.') || /\.(localhost|local|internal|intranet|lan|home|corp|private|svc|test|home\.arpa)$/.test(name)
  );
}
