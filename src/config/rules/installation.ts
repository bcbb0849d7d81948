import { example, write } from '../fault.ts';
import type { RawConfig } from '../schema.ts';
import { at } from './each.ts';
import type { Found } from './rule.ts';

/** A local name is delivered by few servers. */
export function findMailAddresses({ notify }: RawConfig): readonly Found[] {
  return Object.entries(notify?.channels ?? {}).flatMap(([name, { email }]) => {
    const path = ['notify', 'channels', name, 'email'];
    const addresses = [
      [[...path, 'from'], email?.from, 'courier@shop.example'] as const,
      ...(email?.to ?? []).map((to, place) => [[...path, 'to', String(place)], to, 'ops@shop.example'] as const),
    ];
    return addresses.flatMap(([place, text, form]) =>
      at(
        place,
        text == null || /^(.*<)?[^@\s<>]+@[^@\s<>]+>?$/u.test(text)
          ? null
          : {
              says: `"${text}" is not an e-mail address; a server that does not know it refuses every message`,
              proposals: [example([form])],
            },
      ),
    );
  });
}

export function findUnsent({ notify }: RawConfig): readonly Found[] {
  if (Object.keys(notify?.channels ?? {}).length > 0) return [];
  return (['events', 'digest'] as const).flatMap((key) =>
    at(
      ['notify', key],
      notify?.[key] === undefined ? null : { says: 'no message is sent, because there is no channel' },
    ),
  );
}

export const findNoWatch = ({ watches }: RawConfig): readonly Found[] =>
  at(['watches'], Object.keys(watches).length > 0 ? null : { says: 'has no watch, so nothing is read or bought' });

/** A purpose of its own for each secret: who has the one that a CMS is given must not be able to spend the balance. */
export function findReusedKeys({ accounts, admin, notify }: RawConfig): readonly Found[] {
  const keys = new Map(Object.entries(accounts).map(([id, { api_key: key }]) => [JSON.stringify(key), id]));
  const visit = (path: Found['path'], value: unknown): readonly Found[] => {
    if (typeof value !== 'object' || value === null) return [];
    const account = keys.get(JSON.stringify(value));
    if (account === undefined) return Object.entries(value).flatMap(([key, inner]) => visit([...path, key], inner));
    const says = `is the API key of account ${account}, which others would get that way; name another secret`;
    return at(path, { says });
  };
  return [...visit(['admin', 'runs'], admin?.runs), ...visit(['notify'], notify)];
}

export function findLedgerPassword({ ledger }: RawConfig): readonly Found[] {
  const url = ledger?.url ?? '';
  const inQuery = /^(postgres[^?]*)\?(?:.*&)?password=/s.exec(url)?.[1] ?? '';
  const [, before = inQuery, after = ''] = /^(postgres(?:ql)?:\/\/[^:/@]*):[^@]*(@.*)$/s.exec(url) ?? [];
  if (before === '') return [];
  const says =
    'has the password of the database in the file; put it into PGPASSWORD, or into a file that PGPASSWORD_FILE names';
  return at(['ledger', 'url'], { says, proposals: [write([before + after])] });
}

export const findLedgerInMemory = ({ ledger }: RawConfig): readonly Found[] =>
  at(
    ['ledger', 'url'],
    /^sqlite:(:memory:)?\s*$/.test(ledger?.url ?? '')
      ? {
          says: 'is no file: what was bought would be forgotten when the process ends, and bought again',
          proposals: [write(['sqlite:.courier/ledger.db'])],
        }
      : null,
  );

export const findLedgerInTmp = ({ ledger }: RawConfig): readonly Found[] =>
  at(
    ['ledger', 'url'],
    /^sqlite:(\/var)?\/(tmp|run|dev\/shm)\//.test(ledger?.url ?? '')
      ? {
          says: 'is in a folder that is emptied when the machine restarts; "courier recover" would have to rebuild the ledger',
          proposals: [write(['sqlite:.courier/ledger.db'])],
        }
      : null,
  );

export const findIdleMinimum = ({ worker }: RawConfig): readonly Found[] =>
  at(
    ['worker', 'adaptive_crawls', 'minimum'],
    (worker?.adaptive_crawls?.minimum ?? 0) > (worker?.slots?.crawl ?? 200)
      ? {
          says: `is more than slots.crawl (${worker?.slots?.crawl ?? 200}), so crawls never wait for the host`,
          proposals: [write([worker?.slots?.crawl ?? 200], { after: ' or less' })],
        }
      : null,
  );

/** No shell reads the file. */
export function findTildes({ ledger, report, retention }: RawConfig): readonly Found[] {
  const places = [
    [['ledger', 'url'], ledger?.url?.replace(/^sqlite:/, '')],
    [['report', 'folder'], report?.folder],
    [['retention', 'archive'], retention?.archive],
  ] as const;
  return places.flatMap(([path, place]) =>
    at(
      path,
      place?.startsWith('~') === true
        ? { says: 'begins with "~", which would become a folder of that name; write the whole path' }
        : null,
    ),
  );
}

export const findAdminAddress = ({ admin }: RawConfig): readonly Found[] =>
  at(
    ['admin', 'host'],
    /:\/\/|\s/.test(admin?.host ?? '')
      ? {
          says: `"${admin?.host}" is not the name or address of a host`,
          proposals: [example(['127.0.0.1', '0.0.0.0'])],
        }
      : null,
  );

/** Who knows the address can write to the channel. */
export const findHookSecrets = ({ notify }: RawConfig): readonly Found[] =>
  Object.entries(notify?.channels ?? {}).flatMap(([name, { slack, teams }]) => [
    ...at(
      ['notify', 'channels', name, 'teams'],
      isOfSlack(teams?.url)
        ? { says: 'has an address of Slack, which takes no message of Teams; write "slack" in place of "teams"' }
        : null,
    ),
    ...at(
      ['notify', 'channels', name, 'slack', 'url'],
      isOfSlack(slack?.url)
        ? {
            says: 'is a secret in the file: who has it can write to the channel',
            proposals: [example([{ env: 'COURIER_HOOK_URL' }])],
          }
        : null,
    ),
  ]);

const isOfSlack = (url: unknown): boolean => typeof url === 'string' && URL.parse(url)?.hostname === 'hooks.slack.com';
