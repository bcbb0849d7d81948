import { administer } from '../../../service/accounts/administration.ts';
import type { CreatedKey } from '../../../service/accounts/keys.ts';
import type { NetRequest } from '../platform/network.ts';
import { type AccountName, NEXT_KEY_VARIABLES, SERVICE_NAMES, WRONG_KEY_VARIABLE } from './account-names.ts';
import { FIRST_PLACES } from './configuration.ts';
import { getFirstKey } from './stores.ts';
import type { World } from './world.ts';

/** How a new key comes to the workers: its file or variable changes, or the configuration names another one. */
export type Installing = 'in its place' | 'by a restart' | 'by a reload';

/** The keys of the accounts: at the service, and where the configuration looks for them. */
export class Keys {
  readonly #world: World;
  readonly #ids = new Map<AccountName, string>();
  /** The accounts of all keys that ever were. */
  readonly #owners = new Map<string, AccountName>();
  /** Keys that an account of another owner has by mistake. */
  readonly #wrong = new Set<string>();
  /** Keys that the service does not know yet. */
  readonly #early = new Set<string>();
  #isReplacing = false;

  constructor(world: World) {
    this.#world = world;
  }

  useFirst(account: AccountName): void {
    this.#use(account, getFirstKey(account), FIRST_PLACES[account].keyVariable);
  }

  /** The account whose key a request has. */
  getOwner(request: NetRequest): AccountName {
    return this.#owners.get(readKey(request)) ?? 'main';
  }

  isWrong(request: NetRequest): boolean {
    return this.#wrong.has(readKey(request));
  }

  isEarly(request: NetRequest): boolean {
    return this.#early.has(readKey(request));
  }

  /** One operator at a time. Returns whether it was played. */
  async #alone(work: () => Promise<void>): Promise<boolean> {
    if (this.#isReplacing) return false;
    this.#isReplacing = true;
    await work();
    this.#isReplacing = false;
    return true;
  }

  /** The key is revoked, and after a while its place holds another one. Returns whether it was played. */
  replace(account: AccountName, then: () => Promise<void>): Promise<boolean> {
    return this.#alone(async () => {
      await this.revoke(this.#ids.get(account)!);
      await then();
      this.#use(account, await this.#create(account), this.#world.settings.places[account].keyVariable);
    });
  }

  /** `work` gets the id of the key that is in use. */
  rotate(account: AccountName, work: (old: string) => Promise<void>): Promise<boolean> {
    return this.#alone(() => work(this.#ids.get(account)!));
  }

  async #create(account: AccountName): Promise<CreatedKey> {
    const accounts = administer(this.#world.stores.service);
    const name = SERVICE_NAMES[account];
    const { id } = await accounts.account(name);
    return accounts.createKey({ account: id, name });
  }

  create(account: AccountName): Promise<CreatedKey> {
    return this.#create(account);
  }

  /** The service knows a new key from the end of `wait` on; it is created before. */
  async createEarly(account: AccountName): Promise<{ readonly key: CreatedKey; readonly activate: () => void }> {
    const key = await this.#create(account);
    this.#early.add(key.apiKey);
    return { key, activate: () => this.#early.delete(key.apiKey) };
  }

  async revoke(id: string): Promise<void> {
    await administer(this.#world.stores.service).revokeKey(id);
  }

  /** Gives the workers a key. */
  async install(account: AccountName, key: CreatedKey, how: Installing, random: () => number): Promise<void> {
    const { places } = this.#world.settings;
    const { keyVariable } = places[account];
    this.#world.kernel.trace(`a new key of ${account} ${how}`);
    if (how === 'in its place') return this.#use(account, key, keyVariable);
    const first = FIRST_PLACES[account].keyVariable;
    const next = keyVariable === first ? NEXT_KEY_VARIABLES[account] : first;
    this.#use(account, key, next);
    const change = { places: { ...places, [account]: { ...places[account], keyVariable: next } } };
    if (how === 'by a reload') this.#world.reload(change, random);
    else await this.#world.reconfigure(change);
  }

  /** The place of the key is empty. Returns what fills it again. */
  empty(account: AccountName): () => void {
    const { keyVariable } = this.#world.settings.places[account];
    const key = process.env[keyVariable]!;
    delete process.env[keyVariable];
    return () => {
      process.env[keyVariable] ??= key;
    };
  }

  /** A key of another account, which its variable gives to whoever names it. */
  async createWrong(owner: AccountName): Promise<string> {
    const key = await this.#create(owner);
    this.#owners.set(key.apiKey, owner);
    this.#wrong.add(key.apiKey);
    process.env[WRONG_KEY_VARIABLE] = key.apiKey;
    return WRONG_KEY_VARIABLE;
  }

  #use(account: AccountName, { id, apiKey }: CreatedKey, variable: string): void {
    this.#ids.set(account, id);
    this.#owners.set(apiKey, account);
    process.env[variable] = apiKey;
  }
}

const readKey = ({ headers }: NetRequest): string => (headers.authorization ?? '').replace(/^Bearer /, '');
