import { compileGlobs } from './globs.ts';
import type { Url } from './normalize-url.ts';
import { makeScope, type ScopeOptions } from './scope.ts';

/** Whether a URL belongs to a watch, and the rule that says so. */
export interface ScopeExplanation {
  readonly inScope: boolean;
  /** As the configuration has it: `exclude /drafts/**`, `host shop.example`. */
  readonly rule: string;
}

/** `hosts`: null for any. */
export function explainScope(
  { hosts, include, exclude }: Required<Omit<ScopeOptions, 'schemes' | 'hosts'>> & { hosts: readonly string[] | null },
  url: Url,
): ScopeExplanation {
  const reason = makeScope({ hosts: hosts ?? [], include, exclude })(url);
  const { host, pathname } = new URL(url);
  const matches = (glob: string): boolean => compileGlobs([glob])(pathname);
  switch (reason) {
    case null: {
      const glob = include.find(matches);
      return { inScope: true, rule: glob === undefined ? `host ${host}` : `host ${host}, include ${glob}` };
    }
    case 'excluded':
      return { inScope: false, rule: `exclude ${exclude.find(matches) ?? ''}` };
    case 'not-included':
      return { inScope: false, rule: `no include matches: ${include.join(', ')}` };
    case 'host':
      return { inScope: false, rule: `host ${host} is not one of: ${(hosts ?? []).join(', ')}` };
    case 'scheme':
      return { inScope: false, rule: 'only http and https' };
  }
}
