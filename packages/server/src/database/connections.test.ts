import { describe, expect, it } from 'vitest';
import { connectionsFor, poolSizeFor } from './connections.ts';

/** A process uses four connections beside its pool. */
const besidePool = 4;

describe('connections', () => {
  it('stay as they are for one process', () => {
    expect(connectionsFor(1)).toBe(100);
    expect(poolSizeFor(1, 100)).toBe(20);
  });

  it('of all processes together fit on the embedded server, whatever their number', () => {
    for (let processes = 1; processes <= 64; processes += 1) {
      const allowed = connectionsFor(processes);
      const pool = poolSizeFor(processes, allowed);
      expect(pool).toBeGreaterThanOrEqual(5);
      expect(processes * (pool + besidePool)).toBeLessThanOrEqual(allowed - 20);
    }
  });

  it('are shared when the server allows fewer', () => {
    expect(poolSizeFor(4, 100)).toBe(16);
    expect(poolSizeFor(8, 100)).toBe(6);
    expect(poolSizeFor(32, 100)).toBe(4);
  });
});
