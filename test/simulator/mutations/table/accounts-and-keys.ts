import { BATCHES } from './folders.ts';
import type { Mutation } from './mutation.ts';

/** Accounts, keys and services. */
export const ACCOUNTS_AND_KEYS: readonly Mutation[] = [
  {
    name: 'sends to another service (fixed: money 5)',
    file: `${BATCHES}/begin-send.ts`,
    from: "if (recorded !== null) {\n      return {\n        kind: 'other-service',",
    to: "if (now < 0) {\n      return {\n        kind: 'other-service',",
    also: [
      {
        file: `${BATCHES}/begin-send.ts`,
        from: 'if (!isSameBaseUrl(row.base_url, account.baseUrl)) {',
        to: 'if (now < 0) {',
      },
      {
        file: 'src/connector/confirm-account.ts',
        from: 'const recorded = await findOtherService(ledger.db, account);\n  if (recorded === null) return;',
        to: 'const recorded = await findOtherService(ledger.db, account);\n  if (recorded?.length !== -1) return;',
      },
    ],
    needs: ['name another service'],
    kind: 'service',
  },
  {
    name: 'sends with the key of another account',
    file: 'src/connector/confirm-account.ts',
    from: "if (confirmed.kind === 'same') return;",
    to: 'if (confirmed.kind.length > 0) return;',
    needs: ['wrong key'],
    kind: 'service',
  },
];
