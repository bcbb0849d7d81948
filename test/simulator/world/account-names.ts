/** The accounts of a world, by their names in the configuration: how the service calls each. */
export const SERVICE_NAMES = { main: 'simulated', second: 'simulated-second' } as const;

export type AccountName = keyof typeof SERVICE_NAMES;

/** The variables that hold their keys. */
export const KEY_VARIABLES: Readonly<Record<AccountName, string>> = {
  main: 'SIMULATED_KEY',
  second: 'SIMULATED_KEY_SECOND',
};

/** Where a key is that takes the place of the other one. */
export const NEXT_KEY_VARIABLES: Readonly<Record<AccountName, string>> = {
  main: 'SIMULATED_KEY_NEXT',
  second: 'SIMULATED_KEY_SECOND_NEXT',
};

/** Where a key of another account is that an operator gives to `main` by mistake. */
export const WRONG_KEY_VARIABLE = 'SIMULATED_KEY_WRONG';

export const ACCOUNT_NAMES = Object.keys(SERVICE_NAMES) as AccountName[];
