import { describe, expect, it } from 'vitest';
import { placesOf } from './code-places.ts';

const one = { machineId: 'a', workdir: '/one' };

describe('the places of tools', () => {
  it('are those of their configurations, which the turn only completes', () => {
    const ofTurn = { machineId: 'b', workdir: '/two' };
    const tools = [
      { name: 'fixed', target: one },
      { name: 'open', target: {} },
      { name: 'anywhere there', target: { machineId: 'a' } },
    ];
    expect(placesOf(tools, ofTurn)).toEqual({
      missing: [],
      places: [
        { ...one, machineNamedBy: 'fixed', workdirNamedBy: 'fixed' },
        { ...ofTurn, machineNamedBy: undefined, workdirNamedBy: undefined },
        { machineId: 'a', workdir: '/two', machineNamedBy: 'anywhere there', workdirNamedBy: undefined },
      ],
    });
  });

  it('are listed once each', () => {
    const tools = [
      { name: 'first', target: one },
      { name: 'second', target: { workdir: '/one' } },
    ];
    expect(placesOf(tools, { machineId: 'a' }).places).toHaveLength(1);
  });

  it('are missing where neither names them', () => {
    const tools = [
      { name: 'first', target: {} },
      { name: 'second', target: { machineId: 'a' } },
    ];
    expect(placesOf(tools, {})).toEqual({
      places: [],
      missing: [
        { field: 'machineId', tool: 'first' },
        { field: 'workdir', tool: 'first' },
        { field: 'workdir', tool: 'second' },
      ],
    });
    expect(placesOf([], {})).toEqual({ places: [], missing: [] });
  });
});
