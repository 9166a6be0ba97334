import type { SendMessage } from '@svc/contract/chat';
import type { CodeSession } from '../../conversations/conversations.service.ts';
import type { TurnOptions } from '../turns.tables.ts';

type CodeFields = Pick<SendMessage, 'code_machine_id' | 'code_workdir'>;
type CodeOptions = Pick<TurnOptions, 'code_machine_id' | 'code_workdir'>;

/** Whether a message says where coding tools work. */
export function hasCode(message: CodeFields): boolean {
  return message.code_machine_id !== undefined || message.code_workdir !== undefined;
}

/** Pure: what a message says, completed by what its conversation remembers. A directory belongs to its machine. */
export function codeOptions(message: CodeFields, remembered: CodeSession): CodeOptions {
  const machineId = message.code_machine_id ?? remembered.machine_id;
  const isSameMachine = machineId?.toLowerCase() === remembered.machine_id?.toLowerCase();
  const workdir = message.code_workdir ?? (isSameMachine ? remembered.workdir : undefined);
  return {
    ...(machineId !== undefined && { code_machine_id: machineId }),
    ...(workdir !== undefined && { code_workdir: workdir }),
  };
}

/** What a conversation remembers of a turn. */
export function codeSessionOf(options: CodeOptions): CodeSession {
  const { code_machine_id: machineId, code_workdir: workdir } = options;
  return {
    ...(machineId !== undefined && { machine_id: machineId }),
    ...(workdir !== undefined && { workdir }),
  };
}
