import { BlockList, isIPv6, type Server, type Socket } from 'node:net';

/** Of the connections that the service takes, one client gets at most this many. */
export const MOST_PER_ADDRESS = 200;

/**
 * Closes a connection of an address that has too many, before anything of it is read, so that one client cannot take
 * the places of all others. A proxy speaks for many clients: `exempt` addresses have no limit of their own.
 */
export function limitConnectionsPerAddress(
  server: Server,
  { most, exempt }: { readonly most: number; readonly exempt: (address: string) => boolean },
): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || exempt(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

/** The names of networks that `trusted_proxies` may hold besides addresses. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Addresses of this machine, and the proxies: single addresses or networks such as 10.0.0.0/8. */
export function toExempt(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of ['loopback', ...proxies].flatMap((each) => NAMED[each] ?? [each])) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}
