import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SAVED_VIEWS } from '../../test/support/saved-views.ts';
import { toTroubleLink } from './web-ui-link.ts';

describe('toTroubleLink', () => {
  test('has the query of the guide, and nothing that a terminal would end the link at', () => {
    const link = toTroubleLink('http://127.0.0.1:8233', '');
    assert.match(link, /^http:\/\/127\.0\.0\.1:8233\/namespaces\/default\/workflows\?query=[\w%+.-]+$/);
    assert.equal(new URL(link).searchParams.get('query')?.replaceAll(', ', ','), SAVED_VIEWS[0].query);
  });
});
