import { expect, it } from 'vitest';
import { createOwnAddress } from './own-address.ts';

const trunk = { address: '192.0.2.1', port: 5060 };

it('is found when there is a way to the peer, and followed when it changes', async () => {
  let local: string | undefined;
  let changes = 0;
  const options = {
    async localAddressTowards() {
      if (local === undefined) throw new Error('ENETUNREACH');
      return local;
    },
    onChange: () => void (changes += 1),
  };
  const own = createOwnAddress({ ...options, fixed: undefined });
  await expect(own.find(trunk)).rejects.toThrow('ENETUNREACH');
  expect(() => own.current).toThrow('before it was known');
  local = '10.0.0.1';
  await own.find(trunk);
  expect([own.current, changes]).toEqual(['10.0.0.1', 1]);
  local = '10.0.0.2';
  await own.find(trunk);
  expect([own.current, changes]).toEqual(['10.0.0.1', 1]);
  await own.refresh(trunk);
  await own.refresh(trunk);
  expect([own.current, changes]).toEqual(['10.0.0.2', 2]);

  const fixed = createOwnAddress({ ...options, fixed: '203.0.113.7' });
  await fixed.refresh(trunk);
  expect([fixed.current, changes]).toEqual(['203.0.113.7', 2]);
});
