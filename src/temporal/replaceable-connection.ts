import { Connection } from '@temporalio/client';

/** A connection under which another one can be put, because the SDK cannot change the certificates of an open one. */
export interface Replaceable {
  /** Always the latest. */
  readonly connection: Connection;
  /** The connection before the former one is closed: requests in progress end on the former one. */
  replace(next: Connection): Promise<void>;
}

export function toReplaceable(first: Connection): Replaceable {
  let current = first;
  let former: Connection | null = null;
  const close = async () => {
    await former?.close();
    await current.close();
  };
  return {
    connection: new Proxy(Object.create(Connection.prototype) as Connection, {
      get(_, key) {
        if (key === 'close') return close;
        const value: unknown = Reflect.get(current, key, current);
        return typeof value === 'function' ? value.bind(current) : value;
      },
    }),
    async replace(next) {
      const ended = former;
      former = current;
      current = next;
      await ended?.close();
    },
  };
}
