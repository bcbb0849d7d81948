import type { AccountName } from './account-names.ts';

/** Where the service is. */
export const SERVICE = 'https://service.example';
/** The same service, at the address that it has besides or moves to. */
export const NEW_ADDRESS = 'https://new.service.example';
/** Another service, with other accounts, jobs and balances. */
export const OTHER_SERVICE = 'https://other.example';

export const ADDRESSES = [SERVICE, NEW_ADDRESS, OTHER_SERVICE] as const;
export type Address = (typeof ADDRESSES)[number];

/** What the configuration says of an account. */
export interface AccountPlace {
  readonly address: Address;
  /** The variable that holds its key. */
  readonly keyVariable: string;
}

export type AccountPlaces = Readonly<Record<AccountName, AccountPlace>>;
