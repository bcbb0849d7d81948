/** What an acceptance in another currency means. Caps and floors are in TRY. */
export const describeOtherCurrency = (currency: string): string =>
  `the service charges in ${currency.slice(0, 10)}, not in TRY: what it charges is not known, and URLs count at the known price ` +
  'against caps and the floor';
