import type { LiveObject } from '@svc/contract/live';
import type { Bus, TopicKind } from '../bus/bus.ts';
import type { StreamEvent } from './event.ts';

/** An object of a workspace that has changed; without an id, one of its kind. */
export interface WorkspaceChange {
  object: LiveObject;
  id: string | null;
}

type Changes = readonly WorkspaceChange[];

/** What has changed in a workspace, which is the key. Only processes that listen get it, so without consoles it costs nothing. */
export const workspaceTopic: TopicKind<Changes> = {
  name: 'workspace',
  preview: { includes: () => true, join: (earlier, later) => [...earlier, ...later], isNeeded: true },
};

/** Tells the consoles of a workspace that something has changed. To be called after the commit. */
export type NoteChange = (workspaceId: string, object: LiveObject, id: string | null) => void;

export function createNoteChange(bus: Pick<Bus, 'publish' | 'greet'>): NoteChange {
  // Until this process knows that another one listens, it sends it nothing: consoles there may have missed something.
  bus.greet(workspaceTopic, () => missed);
  return (workspaceId, object, id) => bus.publish(workspaceTopic, workspaceId, [{ object, id }]);
}

/** What stored events of a conversation change. */
export function changesOf(conversationId: string, events: readonly StreamEvent[]): WorkspaceChange[] {
  const changes: WorkspaceChange[] = [{ object: 'conversation', id: conversationId }];
  for (const { type, data } of events) {
    if (type === 'approval.requested' || type === 'approval.resolved')
      changes.push({ object: 'approval', id: data.approval.id });
  }
  return changes;
}

/** No change at all: some may have been missed. */
const missed: Changes = [];

/** Whether a message of another process, perhaps of another release, has the fields that this one relies on. */
export function areChanges(message: unknown): message is Changes {
  return Array.isArray(message) && message.every(isChange);
}

function isChange(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('object' in value) || !('id' in value)) return false;
  return typeof value.object === 'string' && (value.id === null || typeof value.id === 'string');
}
