import type { Queryable } from '../../../src/database/database.ts';
import { throwNoRow } from '../../../src/database/database.ts';
import { compile, type Query } from '../../../src/database/sql.ts';
import type { Ledger } from '../../../src/ledger/open-ledger.ts';
import type { World } from './world.ts';

const refuse = (): never => {
  throw new Error('who looks on writes nothing');
};

/**
 * The ledger as it is committed now, for who looks on: reading it takes no virtual time and draws nothing, so what is asked of
 * it changes no seed.
 */
export function readCommitted({ stores, kernel, ledgerId }: World): Ledger {
  const list = <Row>(query: Query<Row>): Row[] => {
    const { text, values } = compile(query, 'sqlite');
    return stores.read.ledger.prepare(text).all(...values) as unknown as Row[];
  };
  const queryable: Queryable = {
    dialect: 'sqlite',
    all: async (query) => list(query),
    get: async (query) => list(query)[0],
    one: async (query) => list(query)[0] ?? throwNoRow(query),
    run: async () => refuse(),
    runEach: async () => refuse(),
  };
  return {
    id: ledgerId,
    db: { ...queryable, tx: (work) => work(queryable), close: async () => undefined },
    now: () => kernel.now(),
    seed: 0,
    close: async () => undefined,
  };
}
