import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WatchNames } from './watch-names.ts';

describe('the names by which watches spend', () => {
  const configured = (watches: Record<string, string>): WatchNames => {
    const names = new WatchNames();
    names.configure(new Map(Object.entries(watches)));
    return names;
  };

  test('a run of a configured watch spends by the name that its sitemap has', () => {
    const names = configured({ w0: 'w0', w1r: 'w1' });
    assert.equal(names.toSpender('w1r'), 'w1r');
    assert.equal(names.toName('w1'), 'w1r');
  });

  test('a run whose watch was removed spends by the name under which the watch comes back', () => {
    const names = configured({ w0: 'w0' });
    assert.equal(names.toSpender('w1'), 'w1');
    assert.equal(names.toSpender('w1r'), 'w1r');
    names.configure(new Map([['w1r', 'w1']]));
    assert.equal(names.toName('w1'), 'w1r');
  });

  test('a run of a name that a rename took away gives the new name nothing to spend', () => {
    assert.equal(configured({ w1r: 'w1' }).toSpender('w1'), 'w1');
  });

  test('two watches of one sitemap spend by one name', () => {
    const names = configured({ w1r: 'w1', w1: 'w1' });
    assert.equal(names.toSpender('w1r'), names.toName('w1'));
    assert.equal(names.toSpender('w1'), names.toName('w1'));
  });

  test('a watch has its name back after another one, or none, and not while it keeps it', () => {
    const names = new WatchNames();
    const has = (watches: readonly (readonly [string, string])[]) => {
      names.configure(new Map(watches));
      return names.hasNameBack('w0');
    };
    assert.equal(has([['w0', 'w0']]), false);
    assert.equal(has([['x', 'w0']]), false);
    assert.equal(has([['w0', 'w0']]), true);
    const others = new WatchNames();
    for (const watches of [[['w0', 'w0']], [], [['w0', 'w0']]] as const) others.configure(new Map(watches));
    assert.equal(others.hasNameBack('w0'), true);
  });
});
