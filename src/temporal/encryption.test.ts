import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createEncryptionCodec, PayloadKeyError } from './encryption.ts';

const FIRST = randomBytes(32).toString('base64');
const SECOND = randomBytes(32).toString('hex');
const payload = defaultPayloadConverter.toPayload({ url: 'https://shop.example/1' });

const plain = (given: Payload | undefined) => (given === undefined ? null : defaultPayloadConverter.fromPayload(given));
const text = (given: Payload | undefined) => Buffer.from(given?.data ?? []).toString('latin1');

describe('the encryption of payloads', () => {
  test('hides the data and its encoding, and gives them back', async () => {
    const codec = createEncryptionCodec({ key: FIRST, formerKeys: [] });
    const [encoded] = await codec.encode([payload]);
    assert.doesNotMatch(text(encoded), /shop|json/);
    assert.deepEqual(Object.keys(encoded?.metadata ?? {}), ['encoding', 'encryption-cipher', 'encryption-key-id']);
    const [decoded] = await codec.decode(encoded === undefined ? [] : [encoded]);
    assert.deepEqual(plain(decoded), { url: 'https://shop.example/1' });
  });

  test('never encrypts the same data to the same bytes', async () => {
    const codec = createEncryptionCodec({ key: FIRST, formerKeys: [] });
    const [one, other] = await codec.encode([payload, payload]);
    assert.notEqual(text(one), text(other));
  });

  test('reads what a former key wrote, and what nothing has encrypted', async () => {
    const before = await createEncryptionCodec({ key: FIRST, formerKeys: [] }).encode([payload]);
    for (const key of [SECOND, null]) {
      const codec = createEncryptionCodec({ key, formerKeys: [FIRST] });
      assert.deepEqual((await codec.decode([...before, payload])).map(plain), [plain(payload), plain(payload)]);
    }
    const off = createEncryptionCodec({ key: null, formerKeys: [FIRST] });
    assert.deepEqual(await off.encode([payload]), [payload]);
  });

  test('names the key that is missing, and not its bytes', async () => {
    const encoded = await createEncryptionCodec({ key: FIRST, formerKeys: [] }).encode([payload]);
    await assert.rejects(createEncryptionCodec({ key: SECOND, formerKeys: [] }).decode(encoded), (error: Error) => {
      assert.ok(error instanceof PayloadKeyError);
      assert.match(error.message, /with the key [0-9a-f]{12}, which temporal\.encryption does not have/);
      assert.doesNotMatch(error.message, new RegExp(FIRST.slice(0, 10).replace(/[+/]/g, '.')));
      return true;
    });
  });

  test('refuses data that was changed', async () => {
    const codec = createEncryptionCodec({ key: FIRST, formerKeys: [] });
    const [encoded] = await codec.encode([payload]);
    const data = Buffer.from(encoded?.data ?? []);
    data[data.length - 1] = (data.at(-1) ?? 0) ^ 1;
    await assert.rejects(codec.decode([{ ...encoded, data }]), /was changed outside of this program/);
  });

  test('refuses a key of another length without repeating it', () => {
    for (const key of ['', 'short', FIRST.slice(0, -8), `${SECOND}00`, 'ü'.repeat(44)])
      assert.throws(() => createEncryptionCodec({ key, formerKeys: [] }), {
        name: 'PayloadKeyError',
        message:
          /^A key of temporal\.encryption is not 32 bytes in base64 or hexadecimal digits, so nothing was started/,
      });
  });
});
