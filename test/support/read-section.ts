import type { Config } from '../../src/config/config.ts';
import { readConfig } from '../../src/config/load.ts';

/** A configuration with one account, one watch and what the test is about. */
export const readWith = (more: string, path = '/etc/courier.yaml'): Config =>
  readConfig(
    `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: KEY } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"] }
${more}
`,
    path,
  );
