import { describe, expect, it } from 'vitest';
import { canServe, connectionsFor, poolSizeFor } from './database-connections.ts';

describe('connections', () => {
  it('stay as they are for one process', () => {
    expect(connectionsFor(1)).toBe(100);
    expect(poolSizeFor(1, 100)).toBe(20);
  });

  it('of all processes together fit on the embedded server, whatever their number', () => {
    for (let processes = 1; processes <= 64; processes += 1) {
      const allowed = connectionsFor(processes);
      expect(poolSizeFor(processes, allowed)).toBeGreaterThanOrEqual(4);
      expect(canServe(processes, allowed)).toBe(true);
    }
  });

  it('are shared when the server allows fewer', () => {
    expect(poolSizeFor(4, 100)).toBe(15);
    expect(poolSizeFor(8, 100)).toBe(5);
    expect(canServe(8, 100)).toBe(true);
  });

  it('may be too many for a server', () => {
    expect(poolSizeFor(32, 100)).toBe(4);
    expect(canServe(32, 100)).toBe(false);
  });
});
