import { describe, expect, test } from 'vitest';
import { decideNext, type Situation } from './decide-next.ts';

const location = { nodeId: 'node', connectionId: 'first connection', instanceId: 'instance', isHere: true };
const sent = { machineId: 'machine', instanceId: 'instance', connectionId: 'first connection', at: 0 };
const reconnected = { ...location, connectionId: 'second connection' };
const reinstalled = { ...reconnected, instanceId: 'another instance' };

function next(situation: Partial<Situation>) {
  const machine = { machineId: 'machine', isPaired: true, location: undefined };
  const operation = { hasEffects: true, sent: undefined, giveUpAt: 100, isOverdue: false };
  const offline = { offlineForMs: undefined, offlineMs: 30 };
  const decided = decideNext({ ...machine, ...operation, now: 50, resendMs: 20, ...offline, ...situation });
  return decided.action === 'reject' ? decided.code : decided.action;
}

describe('an operation that was not sent', () => {
  test('is sent as soon as the machine is connected', () => {
    expect(next({})).toBe('wait');
    expect(next({ location })).toBe('send');
    expect(next({ location, now: 100 })).toBe('send');
  });

  test('is rejected when the machine does not connect in time, or is not paired', () => {
    expect(next({ now: 100 })).toBe('MACHINE_OFFLINE');
    expect(next({ isPaired: false })).toBe('NOT_FOUND');
    expect(next({ isPaired: false, location })).toBe('NOT_FOUND');
  });
});

describe('an operation that was sent', () => {
  test('is sent again where the machine reconnects', () => {
    expect(next({ sent, location })).toBe('wait');
    expect(next({ sent })).toBe('wait');
    expect(next({ sent, location: reconnected })).toBe('send');
  });

  test('by an earlier node, is sent again', () => {
    expect(next({ sent: { ...sent, connectionId: undefined }, location })).toBe('send');
  });

  test('to another node is repeated now and then: messages between nodes can be lost', () => {
    const elsewhere = { ...location, isHere: false };
    expect(next({ sent: { ...sent, at: 31 }, location: elsewhere })).toBe('wait');
    expect(next({ sent: { ...sent, at: 30 }, location: elsewhere })).toBe('send');
    expect(next({ sent: { ...sent, at: 30 }, location })).toBe('wait');
  });

  test('is cancelled when its time is over, and has an unknown outcome if that is not confirmed', () => {
    expect(next({ sent, location, now: 100 })).toBe('cancel');
    expect(next({ sent, now: 100 })).toBe('cancel');
    expect(next({ sent, location, now: 99, isOverdue: true })).toBe('wait');
    expect(next({ sent, location, now: 100, isOverdue: true })).toBe('report unknown');
  });

  test('is given up when its machine stays offline, however long its own time limit is', () => {
    expect(next({ sent, offlineForMs: 29 })).toBe('wait');
    expect(next({ sent, offlineForMs: 30, giveUpAt: 1_000_000 })).toBe('give up');
    expect(next({ sent, offlineForMs: 30, hasEffects: false })).toBe('give up');
    expect(next({ offlineForMs: 30 })).toBe('wait');
  });

  test('has an unknown outcome when it cannot be reported', () => {
    expect(next({ sent, isPaired: false })).toBe('report unknown');
    expect(next({ sent: { ...sent, machineId: 'another' }, location })).toBe('report unknown');
    expect(next({ sent, location: reinstalled })).toBe('report unknown');
  });

  test('runs again on a machine that has lost its journal only if it changes nothing', () => {
    expect(next({ sent, location: reinstalled, hasEffects: false })).toBe('send');
  });
});
