import type { Config } from '../config/config.ts';
import type { Installation } from './message.ts';

/** As people tell installations apart: the name that is configured, and where the ledger is, without its password. */
export const getInstallation = ({ notify, ledgerUrl }: Pick<Config, 'notify' | 'ledgerUrl'>): Installation => ({
  name: notify.name,
  ledger: ledgerUrl
    .replace(/^sqlite:/, '')
    .replace(/\/\/[^/@]*@/, '//')
    .replace(/[?].*$/, ''),
});
