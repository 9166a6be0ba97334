import { type Looker, lookMilliseconds, typingMilliseconds } from '@svc/contract/live';
import type { Bus, Subscription, TopicKind } from '../../bus/bus.ts';
import { newId } from '../../lib/new-id.ts';

/** What a console says of its member. */
interface Look {
  console: string;
  id: string;
  name: string;
  isTyping: boolean;
  /** They look elsewhere now. */
  isOver: boolean;
}

type Looks = readonly Look[];

/** The members who look at a conversation, which is the key. Only processes with consoles that look at it too get it. */
const lookTopic: TopicKind<Looks> = {
  name: 'look',
  preview: { includes: () => true, join: (earlier, later) => [...earlier, ...later] },
};

/** One who was not heard of for so long has left: their process was killed, or their network is gone. */
const maxSilence = 2 * lookMilliseconds + 2_000;
const maxTypingSilence = 2 * typingMilliseconds;
/** As many are shown. */
const maxShown = 20;

interface Watcher {
  memberId: string;
  show(lookers: Looker[]): void;
  /** What it was shown last. */
  shown: string;
}

interface KnownLook extends Look {
  isHere: boolean;
  at: number;
}

/** A conversation that consoles of this process look at. */
interface Room {
  subscription: Subscription;
  watchers: Set<Watcher>;
  /** By console, on every node. */
  looks: Map<string, KnownLook>;
  timer: NodeJS.Timeout | undefined;
}

export type Lookers = ReturnType<typeof createLookers>;

/** Tells consoles which other members look at the same conversation, on every node. Nothing of it is stored, and all of it ends by itself. */
export function createLookers(bus: Pick<Bus, 'publish' | 'subscribe' | 'greet'>) {
  const rooms = new Map<string, Room>();
  bus.greet(lookTopic, (conversationId) => {
    const own = [...(rooms.get(conversationId)?.looks.values() ?? [])].filter(({ isHere }) => isHere);
    return own.length > 0 ? own.map(toLook) : undefined;
  });

  function open(conversationId: string): Room {
    const subscription = bus.subscribe(lookTopic, conversationId, {
      onMessage(looks, from) {
        if (from === 'elsewhere' && !areLooks(looks)) throw new Error('These do not look at anything.');
        for (const look of looks) {
          if (look.isOver) room.looks.delete(look.console);
          else room.looks.set(look.console, { ...look, isHere: from === 'here', at: performance.now() });
        }
        update(room);
      },
      // The next look of everybody follows soon.
      onLost: () => undefined,
    });
    const room: Room = { subscription, watchers: new Set(), looks: new Map(), timer: undefined };
    rooms.set(conversationId, room);
    return room;
  }

  return {
    /** A console begins to look at a conversation. `show` gets the other members whenever they change. */
    enter(
      conversationId: string,
      member: { id: string; name: string },
      show: (lookers: Looker[]) => void,
    ): { look(isTyping: boolean): void; leave(): void } {
      const room = rooms.get(conversationId) ?? open(conversationId);
      const watcher: Watcher = { memberId: member.id, show, shown: '[]' };
      const own = { console: newId(), id: member.id, name: member.name };
      const publish = (state: { isTyping: boolean; isOver: boolean }) =>
        bus.publish(lookTopic, conversationId, [{ ...own, ...state }]);
      room.watchers.add(watcher);
      return {
        look: (isTyping) => publish({ isTyping, isOver: false }),
        leave() {
          if (!room.watchers.delete(watcher)) return;
          publish({ isTyping: false, isOver: true });
          if (room.watchers.size > 0) return;
          rooms.delete(conversationId);
          room.subscription.end();
          clearTimeout(room.timer);
        },
      };
    },
  };
}

/** Forgets those who have left, shows who is there, and comes back when that may have changed without a message. */
function update(room: Room): void {
  const now = performance.now();
  clearTimeout(room.timer);
  let next = Number.POSITIVE_INFINITY;
  for (const look of room.looks.values()) {
    if (now >= look.at + maxSilence) room.looks.delete(look.console);
    else {
      if (now >= look.at + maxTypingSilence) look.isTyping = false;
      next = Math.min(next, look.at + (look.isTyping ? maxTypingSilence : maxSilence));
    }
  }
  for (const watcher of room.watchers) {
    const lookers = othersThan(watcher.memberId, room.looks.values());
    const text = JSON.stringify(lookers);
    if (text === watcher.shown) continue;
    watcher.shown = text;
    watcher.show(lookers);
  }
  if (next < Number.POSITIVE_INFINITY) room.timer = setTimeout(update, next - now + 1, room).unref();
}

/** Each member once, in whatever number of tabs, by name. */
function othersThan(memberId: string, looks: Iterable<Look>): Looker[] {
  const lookers = new Map<string, Looker>();
  for (const { id, name, isTyping } of looks) {
    if (id === memberId) continue;
    lookers.set(id, { id, name, is_typing: isTyping || (lookers.get(id)?.is_typing ?? false) });
  }
  return [...lookers.values()]
    .toSorted((one, other) => one.name.localeCompare(other.name) || one.id.localeCompare(other.id))
    .slice(0, maxShown);
}

function toLook({ console, id, name, isTyping, isOver }: Look): Look {
  return { console, id, name, isTyping, isOver };
}

/** Whether a message of another process, perhaps of another release, has the fields that this one relies on. */
function areLooks(message: unknown): message is Looks {
  return Array.isArray(message) && message.every(isLook);
}

function isLook(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { console, id, name, isTyping, isOver } = value as Record<string, unknown>;
  return (
    [console, id, name].every((text) => typeof text === 'string') &&
    typeof isTyping === 'boolean' &&
    typeof isOver === 'boolean'
  );
}
