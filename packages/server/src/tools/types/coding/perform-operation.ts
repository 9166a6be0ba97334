import type { OperationName, Outcome } from '@svc/contract/machine-protocol';
import { AppError } from '../../../lib/app-error.ts';
import { newId } from '../../../lib/new-id.ts';
import { failed } from '../../tool-result.ts';
import type {
  CallContext,
  CallDescription,
  CodeTarget,
  ConfiguredTool,
  ToolResult,
  ToolRun,
} from '../../tool-type.ts';
import { boundText } from '../shared/bound-text.ts';
import { createRedactor } from '../shared/redactor.ts';
import { requireTarget } from './coding-target.ts';
import { describePreview } from './describe-coding-call.ts';
import type { MachineWork } from './machine-work.ts';
import { type CodingOperation, machineNameOf, operations, timeLimitOf } from './operations.ts';
import { readResult } from './results.ts';

export interface CodingCall {
  operation: CodingOperation;
  given: Record<string, unknown>;
  tool: Pick<ConfiguredTool, 'workspaceId'>;
  target: CodeTarget;
  machines: MachineWork;
}

const previewTimeLimitMs = 30_000;
const maxMessageBytes = 8 * 1024;
/** Removes what cannot be stored; there are no secrets. */
const storable = createRedactor([]);

/** Has the machine carry a call out. What goes wrong is a result. */
export async function performOperation(call: CodingCall, run: ToolRun): Promise<ToolResult> {
  const { operation, given, machines, tool } = call;
  try {
    const outcome = await machines.perform(
      {
        // Reads have a new id each time, because a repeated one must see the files as they are now.
        id: isRepeatable(operation) ? newId() : (run.callId ?? newId()),
        workspaceId: tool.workspaceId,
        ...requireTarget(call.target),
        name: machineNameOf(operation),
        arguments: operation.name === 'read_file' && run.seesImages ? { ...given, images: true } : given,
        ...(run.basis && { basis: run.basis }),
        ...(run.approval && { approval: run.approval }),
        callerId: run.actsFor,
        botId: run.botId,
        conversationId: run.conversationId,
        ...(run.traceParent && { traceParent: run.traceParent }),
        timeLimitMs: timeLimitOf(operation, given),
      },
      { signal: run.signal, onProgress: (text) => run.onProgress(storable.text(text)) },
    );
    return resultOf(operation, outcome);
  } catch (error) {
    if (error instanceof AppError) return failed(explain(error));
    throw error;
  }
}

/** What the person who approves a call sees of it. The machine computes it and changes nothing. */
export async function describeOperation(call: CodingCall, context: CallContext): Promise<CallDescription> {
  const { operation, given, machines, tool } = call;
  const { actsFor: callerId, botId, conversationId, signal } = context;
  try {
    const target = requireTarget(call.target);
    const user = { callerId, botId };
    const { name: machine } = await machines.requireUse(tool.workspaceId, target.machineId, user);
    if (isRepeatable(operation)) {
      const summary = `${operation.name}(${JSON.stringify(given)}) in ${target.workdir} on ${machine}`;
      return { context: { kind: 'call', summary } };
    }
    const outcome = await machines.perform(
      {
        id: newId(),
        workspaceId: tool.workspaceId,
        ...target,
        name: 'preview',
        arguments: { operation: operation.name, arguments: given },
        callerId,
        botId,
        conversationId,
        timeLimitMs: previewTimeLimitMs,
      },
      { signal, onProgress: () => undefined },
    );
    if (outcome.status !== 'ok') return { fault: messageOf(outcome) };
    const place = { id: target.machineId, name: machine };
    return describePreview(operation, given, storable.json(outcome.value), place);
  } catch (error) {
    if (error instanceof AppError) return { fault: explain(error) };
    throw error;
  }
}

/** The result of a call whose outcome arrived after its turn had continued. */
export function readOutcome(name: OperationName, outcome: Outcome): ToolResult {
  const operation = operations.find((known) => known.name === name);
  if (!operation) throw new Error(`Models cannot call ${name}.`);
  return resultOf(operation, outcome);
}

function isRepeatable({ kind }: CodingOperation): boolean {
  return kind === 'read' || kind === 'process';
}

function resultOf(operation: CodingOperation, outcome: Outcome): ToolResult {
  switch (outcome.status) {
    case 'error':
      return failed(messageOf(outcome));
    case 'unknown':
      return isRepeatable(operation) ? failed(messageOf(outcome)) : unknown(messageOf(outcome));
    case 'ok':
      try {
        return readResult(operation.name, storable.json(outcome.value));
      } catch (error) {
        if (error instanceof AppError && !isRepeatable(operation)) return unknown(error.message);
        throw error;
      }
  }
}

function unknown(message: string): ToolResult {
  const content = `${message} It is not known whether this was carried out: look at the files before you continue.`;
  return { status: 'unknown', content, result: { error: content } };
}

function messageOf({ message }: Exclude<Outcome, { status: 'ok' }>): string {
  return storable.text(boundText(message, maxMessageBytes).text);
}

/** What the model can do about an error that is not the machine's. */
function explain({ code, message }: AppError): string {
  if (code === 'NOT_FOUND')
    return 'The machine is not paired with this workspace any more, so nothing was done. Ask the user to choose another one.';
  if (code === 'MACHINE_OFFLINE')
    return 'The machine is not connected, so nothing was done. Ask the user to start svc-machine on it, then try again.';
  return message;
}
