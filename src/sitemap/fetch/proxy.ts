/** A proxy setting of the environment that cannot be used. Nothing was fetched. */
export class ProxySettingError extends Error {
  override readonly name = 'ProxySettingError';
}

export interface ProxySetting {
  /** The environment variable that names it. */
  readonly variable: string;
  readonly url: URL;
}

/** The proxies of the environment. A value without a scheme is an http proxy, as for curl. Throws ProxySettingError. */
export function findProxies(env: Readonly<Record<string, string | undefined>>): ProxySetting[] {
  return ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'].flatMap((variable) => {
    const value = env[variable]?.trim();
    if (value === undefined || value === '') return [];
    const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw new ProxySettingError(
        `${variable} is not the address of an http proxy, like http://proxy.example:3128. Nothing was fetched.`,
      );
    }
    return [{ variable, url }];
  });
}
