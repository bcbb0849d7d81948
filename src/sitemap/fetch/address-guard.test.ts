import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explainRefusedName, getAddressRange, makeAddressGuard } from './address-guard.ts';

const closed = [
  '127.0.0.1',
  '127.255.255.254',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '::1',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd12:3456::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '::127.0.0.1',
  '::a9fe:a9fe',
  '2002:7f00:1::',
  '2001:0::1',
];
describe('addresses that are refused', () => {
  for (const address of closed) {
    test(address, () => assert.notEqual(makeAddressGuard(false).refusal('shop.example', address), null));
  }
});

describe('addresses that are public', () => {
  for (const address of [
    '93.184.216.34',
    '2606:4700::1111',
    '::ffff:93.184.216.34',
    '64:ff9b::5db8:d822',
    '::93.184.216.34',
  ]) {
    test(address, () => assert.equal(makeAddressGuard(false).refusal('shop.example', address), null));
  }
});

test('allowed hosts, addresses and networks are reachable, and nothing else is', () => {
  const guard = makeAddressGuard(['intranet.example', '10.0.0.0/8', '::1', '192.168.1.1']);
  assert.equal(guard.refusal('intranet.example', '172.16.0.1'), null);
  assert.equal(guard.refusal('INTRANET.example', '172.16.0.1'), null);
  assert.equal(guard.refusal('x.example', '10.9.9.9'), null);
  assert.equal(guard.refusal('x.example', '::ffff:10.9.9.9'), null);
  assert.equal(explainRefusedName(guard, '[::1]'), null);
  assert.equal(guard.refusal('x.example', '192.168.1.1'), null);
  assert.notEqual(guard.refusal('x.example', '192.168.1.2'), null);
  assert.notEqual(guard.refusal('sub.intranet.example', '172.16.0.1'), null);
});

test('the resolver never answers with a refused address, whatever a name resolves to', async () => {
  const { lookup } = makeAddressGuard(false);
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) =>
    lookup('localhost', { all: true }, resolve),
  );
  assert.equal(error?.code, 'PRIVATE_HOST');
});

test('a host name has no address range', () => assert.equal(getAddressRange('shop.example'), undefined));
