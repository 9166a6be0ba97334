import { newId } from '../lib/new-id.ts';
import { createProcessOutbox, maxWaitingCharacters, type Post } from './process-outbox.ts';

/** What a process requests of the hub. Every `send` and `join` is answered, in their order. */
export type HubRequest =
  | readonly ['send', channel: string, text: string]
  | readonly ['join', channel: string]
  | readonly ['leave', channel: string];

/** What the hub sends to a process. */
export type HubMessage =
  | readonly ['text', channel: string, text: string]
  | readonly ['receivers', count: number]
  /** Texts for this process may have been dropped. */
  | readonly ['lost'];

interface Member {
  deliver(channel: string, text: string): void;
}

export type ProcessHub = ReturnType<typeof createProcessHub>;

/** Passes texts between the processes of one machine; runs in their supervisor. */
export function createProcessHub({ maxWaiting = maxWaitingCharacters } = {}) {
  const channels = new Map<string, Set<Member>>();

  function join(channel: string, member: Member): void {
    const joined = channels.get(channel) ?? new Set();
    channels.set(channel, joined.add(member));
  }

  function leave(channel: string, member: Member): void {
    const joined = channels.get(channel);
    if (joined?.delete(member) && joined.size === 0) channels.delete(channel);
  }

  function send(channel: string, text: string, sender: Member): number {
    let receivers = 0;
    for (const member of channels.get(channel) ?? []) {
      if (member === sender) continue;
      member.deliver(channel, text);
      receivers += 1;
    }
    return receivers;
  }

  return {
    /** The same for all members: they reach each other. */
    reach: newId(),
    add(post: Post<HubMessage>) {
      const outbox = createProcessOutbox({ post, maxWaiting, onRoom: () => outbox.add(['lost']) });
      const joined = new Set<string>();
      const self: Member = {
        deliver: (channel, text) => void outbox.offer(['text', channel, text], text.length),
      };

      function handle(request: HubRequest): void {
        if (request[0] === 'send') {
          outbox.add(['receivers', send(request[1], request[2], self)]);
        } else if (request[0] === 'join') {
          join(request[1], self);
          joined.add(request[1]);
          outbox.add(['receivers', 0]);
        } else {
          leave(request[1], self);
          joined.delete(request[1]);
        }
      }

      return {
        receive(requests: readonly HubRequest[]): void {
          for (const request of requests) handle(request);
        },
        /** The process is gone. */
        remove(): void {
          for (const channel of joined) leave(channel, self);
          joined.clear();
        },
      };
    },
  };
}
