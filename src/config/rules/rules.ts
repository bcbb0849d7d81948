import * as account from './account.ts';
import * as installation from './installation.ts';
import * as money from './money.ts';
import type { Rule } from './rule.ts';
import * as address from './service-address.ts';
import * as times from './times.ts';
import * as watch from './watch.ts';

/** Everything that is checked beyond the forms of settings (`schema.ts`) and the names that they refer to. */
export const RULES: readonly Rule[] = [
  { name: 'base_url ends with an endpoint', level: 'error', find: address.findEndpoint },
  { name: 'base_url has a query', level: 'error', find: address.findQuery },
  { name: 'base_url has no path', level: 'warning', find: address.findNoPath },
  { name: 'base_url names another version', level: 'warning', find: address.findOtherVersion },
  { name: 'the key is sent unencrypted', level: 'warning', find: address.findClearText },
  { name: 'two accounts share a key', level: 'warning', find: account.findSharedKeys },
  { name: 'a price is 0', level: 'warning', find: money.findPriceOfZero },
  { name: 'a cap is above a wider one', level: 'warning', find: money.findIdleCaps },
  { name: 'a cap is below the price of a page', level: 'warning', find: money.findCapsBelowPrice },
  { name: 'a key is used longer than it is remembered', level: 'error', find: times.findLateReconcile },
  { name: 'checks are repeated without a pause', level: 'error', find: times.findEndlessChecks },
  { name: 'checks follow each other within an hour', level: 'warning', find: times.findHastyChecks },
  { name: 'nothing is ever checked', level: 'warning', find: money.findIdleChecks },
  { name: 'a duration is 0', level: 'error', find: times.findNoTime },
  { name: 'a cron line never runs', level: 'warning', find: times.findNever },
  { name: 'waits between polls contradict each other', level: 'warning', find: times.findPollOrder },
  { name: 'a timeout is above the whole', level: 'warning', find: times.findTimeoutOrder },
  { name: 'some jobs never end', level: 'warning', find: account.findEndlessJobs },
  { name: 'a job ends before it is done', level: 'error', find: account.findEarlyEnds },
  { name: 'a status means its opposite', level: 'warning', find: account.findOpposites },
  { name: 'a rate limit is above the specification', level: 'warning', find: account.findHighLimits },
  { name: 'hosts are not those of the sitemaps', level: 'warning', find: watch.findForeignHosts },
  { name: 'a sitemap is named twice', level: 'warning', find: watch.findRepeatedSitemaps },
  { name: 'a sitemap has a space', level: 'warning', find: watch.findSitemapSpaces },
  { name: 'every private host is allowed', level: 'warning', find: watch.findAllPrivate },
  { name: 'a header belongs to the connection', level: 'warning', find: watch.findReservedHeaders },
  { name: 'robots is not a robots.txt', level: 'warning', find: watch.findRobotsMistakes },
  { name: 'a sitemap has a password', level: 'warning', find: watch.findSourceCredentials },
  { name: 'a guard lets everything through', level: 'warning', find: watch.findLoosePercent },
  { name: 'a project cannot be shown', level: 'error', find: watch.findProjectCharacters },
  { name: 'a header cannot be sent', level: 'error', find: watch.findHeaderMistakes },
  { name: 'a header has a secret', level: 'warning', find: watch.findHeaderSecrets },
  { name: 'a mail address is none', level: 'warning', find: installation.findMailAddresses },
  { name: 'events without a channel', level: 'warning', find: installation.findUnsentEvents },
  { name: 'the ledger is no file', level: 'warning', find: installation.findLedgerInMemory },
  { name: 'the ledger is in a folder that is emptied', level: 'warning', find: installation.findLedgerInTmp },
  { name: 'the file has the password of the database', level: 'warning', find: installation.findLedgerPassword },
  { name: 'a path begins with ~', level: 'warning', find: installation.findTildes },
  { name: 'the address of the listener is none', level: 'error', find: installation.findAdminAddress },
  { name: 'the file has the secret of a channel', level: 'warning', find: installation.findHookSecrets },
  { name: 'crawls never wait for the host', level: 'warning', find: installation.findIdleMinimum },
];
