import { createDeck, pick } from '../../support/seeded.ts';
import { SQLITE_FAULTS, type SqliteFault } from '../../support/sqlite-faults.ts';

export const OPERATIONS = ['submission', 'check'] as const;
export type Operation = (typeof OPERATIONS)[number];

/**
 * What happens to the connection at a statement: it is cut before the server has the statement or before the service has
 * the answer; the server ends it; the answer never comes; the service is killed.
 */
export const POSTGRES_FAULTS = [
  'cut-before',
  'cut-after',
  'terminate',
  'swallow',
  'kill-before',
  'kill-after',
] as const;
export type PostgresFault = (typeof POSTGRES_FAULTS)[number];

export type StorageFault = SqliteFault | PostgresFault;

/** What the search API does to the queries of a check: `partial` answers all but one of them. */
const PROVIDER_FAULTS = ['error', 'reset', 'malformed', 'partial', 'timeout'] as const;
export type ProviderFault = (typeof PROVIDER_FAULTS)[number];

/** When the client goes away: in the middle of the body, or so many milliseconds after it. */
const CLIENT_FAULTS = ['half body', 0, 1, 2, 4, 8, 16] as const;
export type ClientFault = (typeof CLIENT_FAULTS)[number];

export type Fault =
  | { readonly of: 'storage'; readonly fault: StorageFault; readonly step: number }
  | { readonly of: 'provider'; readonly fault: ProviderFault }
  | { readonly of: 'client'; readonly fault: ClientFault };

export interface Round {
  readonly operation: Operation;
  readonly urls: number;
  readonly fault: Fault;
}

export interface PlanOptions {
  readonly random: () => number;
  /** How many statements each operation runs when nothing fails. */
  readonly steps: Readonly<Record<Operation, number>>;
  readonly faults: readonly StorageFault[];
  /** Also faults that take seconds each: answers that never come. */
  readonly slow: boolean;
}

const isKill = (fault: StorageFault): boolean => fault.startsWith('kill');
const isSlow = (fault: string | number): boolean => fault === 'swallow' || fault === 'timeout';

/**
 * Deals rounds, first those in which the answer to the last COMMIT of each operation is lost. Of ten others, six or seven
 * meet a fault at one statement, one is a kill at a statement, and two a fault of the provider or the client. Each kind
 * goes through all of its places before one comes again.
 */
export function planRounds({ random, steps, faults, slow }: PlanOptions): () => Round {
  const places = (wanted: (fault: StorageFault) => boolean): Omit<Round, 'urls'>[] =>
    OPERATIONS.flatMap((operation) =>
      faults.filter(wanted).flatMap((fault) =>
        Array.from({ length: steps[operation] }, (_, index) => ({
          operation,
          fault: { of: 'storage' as const, fault, step: index + 1 },
        })),
      ),
    );
  const others: Omit<Round, 'urls'>[] = [
    ...PROVIDER_FAULTS.filter((fault) => slow || !isSlow(fault)).map((fault) => ({
      operation: 'check' as const,
      fault: { of: 'provider' as const, fault },
    })),
    ...OPERATIONS.flatMap((operation) =>
      CLIENT_FAULTS.map((fault) => ({ operation, fault: { of: 'client' as const, fault } })),
    ),
  ];
  const decks = [
    createDeck(
      random,
      places((fault) => !isKill(fault) && !isSlow(fault)),
    ),
    createDeck(random, places(isKill)),
    createDeck(random, others),
    ...(slow && faults.some(isSlow) ? [createDeck(random, places(isSlow))] : []),
  ];
  const lost = OPERATIONS.flatMap((operation) =>
    faults
      .filter((fault) => fault.endsWith('-after'))
      .map((fault) => ({ operation, fault: { of: 'storage' as const, fault, step: steps[operation] } })),
  );
  return () => {
    const first = lost.shift();
    if (first !== undefined) return { ...first, urls: 2 };
    const share = random();
    const [storage, kills, rest, slowOnes = storage] = decks;
    const deal = share < 0.65 ? storage : share < 0.7 ? slowOnes : share < 0.8 ? kills : rest;
    return { ...deal!(), urls: pick(random, [1, 2, 7]) };
  };
}

export const faultsOf = (dialect: 'sqlite' | 'postgres'): readonly StorageFault[] =>
  dialect === 'sqlite' ? SQLITE_FAULTS : POSTGRES_FAULTS;
