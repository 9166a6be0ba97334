import type { SendMessage } from '@svc/contract/chat';
import type { CodeSession } from '../../conversations/conversations.service.ts';
import type { TurnOptions } from '../turns.tables.ts';

type CodeFields = Pick<SendMessage, 'code_machine_id' | 'code_workdir' | 'code_mode'>;
type CodeOptions = Pick<TurnOptions, 'code_machine_id' | 'code_workdir' | 'is_planning'>;

/** Whether a message says where or how coding tools work. */
export function hasCode(message: CodeFields): boolean {
  const { code_machine_id: machineId, code_workdir: workdir, code_mode: mode } = message;
  return machineId !== undefined || workdir !== undefined || mode !== undefined;
}

/** Pure: what a message says, completed by what its conversation remembers. A directory belongs to its machine. */
export function codeOptions(message: CodeFields, remembered: CodeSession): CodeOptions {
  const machineId = message.code_machine_id ?? remembered.machine_id;
  const isSameMachine = machineId?.toLowerCase() === remembered.machine_id?.toLowerCase();
  const workdir = message.code_workdir ?? (isSameMachine ? remembered.workdir : undefined);
  const isPlanning = message.code_mode ? message.code_mode === 'plan' : remembered.is_planning === true;
  return {
    ...(machineId !== undefined && { code_machine_id: machineId }),
    ...(workdir !== undefined && { code_workdir: workdir }),
    ...(isPlanning && { is_planning: true }),
  };
}

/** What a conversation remembers of a turn. */
export function codeSessionOf(options: CodeOptions): CodeSession {
  const { code_machine_id: machineId, code_workdir: workdir, is_planning: isPlanning } = options;
  return {
    ...(machineId !== undefined && { machine_id: machineId }),
    ...(workdir !== undefined && { workdir }),
    ...(isPlanning && { is_planning: true }),
  };
}
