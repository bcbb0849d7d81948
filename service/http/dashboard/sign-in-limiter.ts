import { toNetwork } from '../../capacity/network.ts';
import { countByName, takeOrWait } from '../limits/count-by-name.ts';

const MINUTE = 60_000;
/** One browser, or one address, trying one account. */
const PER_SOURCE_AND_ACCOUNT = { limit: 10, windowMs: MINUTE };
/** One address trying any accounts. */
const PER_ADDRESS = { limit: 30, windowMs: MINUTE };
/** All unknown browsers together trying one account: known browsers are not counted here. */
const PER_ACCOUNT = { limit: 600, windowMs: 60 * MINUTE };

export interface Attempt {
  readonly account: string;
  readonly address: string;
  /** The browser has signed in to this account before. */
  readonly device: string | null;
}

/**
 * Limits the attempts to sign in. Attempts from one address never use up those of another address or of a browser that
 * the account knows, so the owner cannot be locked out. Returns the seconds to wait, 0 when the attempt is allowed.
 */
export function signInLimiter(now: () => number): (attempt: Attempt) => number {
  const pairs = countByName(PER_SOURCE_AND_ACCOUNT);
  const addresses = countByName(PER_ADDRESS);
  const accounts = countByName(PER_ACCOUNT);
  return ({ account, address, device }) => {
    const network = toNetwork(address);
    const windows =
      device !== null
        ? [pairs(`device ${device}`)]
        : [addresses(network), pairs(`${network} ${account}`), accounts(account)];
    return takeOrWait(now(), ...windows);
  };
}
