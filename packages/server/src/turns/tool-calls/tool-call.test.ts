import { describe, expect, it } from 'vitest';
import { expiryReasons } from '../../approvals/approvals.service.ts';
import {
  argumentsToRun,
  decideToolCalls,
  lostClosing,
  type OpenToolCall,
  revokedClosing,
  type ToolCallApproval,
} from './tool-call.ts';

function call(over: Partial<OpenToolCall> = {}): OpenToolCall {
  return {
    id: 'a',
    messageId: 'm',
    position: 0,
    name: 'lookup',
    toolType: 'http_request',
    toolId: null,
    arguments: { city: 'Köln' },
    needsApproval: false,
    repeatable: false,
    inOrder: false,
    hasEffects: true,
    fault: null,
    status: 'proposed',
    approval: undefined,
    ...over,
  };
}

const answered = (status: ToolCallApproval['status'], over: Partial<ToolCallApproval> = {}) => ({
  needsApproval: true,
  approval: {
    id: 'p',
    status,
    fingerprint: 'none' as const,
    basis: null,
    editedArguments: null,
    reason: null,
    createdAt: new Date(0),
    resolvedAt: null,
    resolvedBy: null,
    ...over,
  },
});

describe('calls', () => {
  it('run together when they need no approval', () => {
    const calls = [call(), call({ id: 'b' })];
    expect(decideToolCalls(calls)).toEqual({ kind: 'run', calls });
  });

  it('are asked for only after those that need no approval have run', () => {
    const free = call();
    const asking = call({ id: 'b', needsApproval: true });
    expect(decideToolCalls([asking, free])).toEqual({ kind: 'run', calls: [free] });
    expect(decideToolCalls([asking])).toEqual({ kind: 'ask', calls: [asking] });
  });

  it('that are in order run one by one, and wait for an earlier one that needs approval', () => {
    const edit = call({ inOrder: true, needsApproval: true });
    const test = call({ id: 'b', position: 1, inOrder: true });
    const read = call({ id: 'c', position: 2 });
    expect(decideToolCalls([edit, test, read])).toEqual({ kind: 'run', calls: [read] });
    expect(decideToolCalls([edit, test])).toEqual({ kind: 'ask', calls: [edit] });
    const approved = { ...edit, ...answered('approved') };
    expect(decideToolCalls([approved, test])).toEqual({ kind: 'run', calls: [approved] });
    expect(decideToolCalls([test])).toEqual({ kind: 'run', calls: [test] });
  });

  it('wait while one of them is pending', () => {
    expect(decideToolCalls([call(answered('pending'))])).toEqual({ kind: 'wait' });
    // It needed no approval yet when it was proposed.
    const since = call({ ...answered('pending'), needsApproval: false });
    expect(decideToolCalls([since])).toEqual({ kind: 'wait' });
  });

  it.each(['approved', 'approved_edited'] as const)('run when %s', (status) => {
    const approved = call(answered(status));
    expect(decideToolCalls([approved])).toEqual({ kind: 'run', calls: [approved] });
  });

  it.each(['denied', 'expired', 'cancelled'] as const)('never run when %s', (status) => {
    expect(decideToolCalls([call(answered(status))])).toMatchObject({
      kind: 'close',
      calls: [{ outcome: 'denied' }],
    });
  });

  it('tell the model why they were denied', () => {
    const decision = decideToolCalls([call(answered('denied', { reason: 'Too expensive.' }))]);
    expect(decision).toMatchObject({ calls: [{ content: expect.stringContaining('Too expensive.') }] });
  });

  it('tell the model that it may propose them again when their tool was changed', () => {
    const changed = answered('expired', { reason: expiryReasons.changed });
    const decide = (reason: Partial<OpenToolCall>) => decideToolCalls([call(reason)]);
    expect(decide(changed)).toMatchObject({
      calls: [{ content: expect.stringMatching(/was changed .* did not run.* propose it again/) }],
    });
    expect(decide(answered('expired', { reason: expiryReasons.late }))).toMatchObject({
      calls: [{ content: expect.not.stringContaining('again') }],
    });
  });

  it('that a crash cut off run again only when that is harmless', () => {
    expect(decideToolCalls([call({ status: 'started' })])).toMatchObject({
      kind: 'close',
      calls: [{ outcome: 'unknown' }],
    });
    expect(decideToolCalls([call({ status: 'started', repeatable: true })])).toMatchObject({ kind: 'run' });
    const approved = call({ ...answered('approved'), status: 'started' });
    expect(decideToolCalls([approved])).toMatchObject({ kind: 'close', calls: [{ outcome: 'unknown' }] });
  });

  it('that a crash cut off run again, even approved ones, when they can be resumed', () => {
    const resumed = call({ ...answered('approved'), status: 'started', repeatable: true });
    expect(decideToolCalls([resumed])).toEqual({ kind: 'run', calls: [resumed] });
    const waiting = call({ ...answered('pending'), id: 'b' });
    expect(decideToolCalls([resumed, waiting])).toEqual({ kind: 'run', calls: [resumed] });
  });

  it('are denied when their tool was changed, unless they may have run', () => {
    const approved = call(answered('approved'));
    expect(revokedClosing(approved, expiryReasons.changed)).toMatchObject({
      outcome: 'denied',
      content: expect.stringContaining('did not run'),
    });
    const started = call({ ...answered('approved'), status: 'started', repeatable: true });
    expect(revokedClosing(started, expiryReasons.changed)).toMatchObject({
      outcome: 'unknown',
      content: expect.stringMatching(/not known whether .* tool was changed/),
    });
    expect(lostClosing(started)).toMatchObject({ outcome: 'unknown' });
  });

  it('run what a person made of them', () => {
    expect(argumentsToRun(call(answered('approved_edited', { editedArguments: { city: 'Bonn' } })))).toEqual({
      city: 'Bonn',
    });
    expect(argumentsToRun(call(answered('approved')))).toEqual({ city: 'Köln' });
  });
});
