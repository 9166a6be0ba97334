/** The protocol of the console's WebSocket, `/api/console/live`: one JSON object per frame. No I/O, and no schemas: browsers load it. */

/** What a console sends. */
export type LiveRequest =
  /** Sends the events after this one, then the new ones; without it, those of the unfinished turn. */
  | { type: 'follow'; conversation_id: string; after?: number }
  | { type: 'unfollow'; conversation_id: string }
  /**
   * The member has this followed conversation open, and is writing a reply to its user or not. Sent again and again meanwhile. It takes
   * the place of the conversation before it.
   */
  | { type: 'look'; conversation_id: string; is_typing: boolean }
  /** The member uses the console: at most once per `activeMilliseconds`. */
  | { type: 'active' };

/** What has changed in a workspace. The console reads it again, or patches its copy with `data`. */
export const liveObjects = [
  'conversation',
  'approval',
  'run',
  'bot',
  'knowledge',
  'tool',
  'machine',
  'widget',
  'number',
  'evaluation',
  'member',
  'workspace',
] as const;
export type LiveObject = (typeof liveObjects)[number];

/** The objects that consoles show, by how paths name them. Conversations in which something happens announce it themselves. */
export const objectsInPaths: Readonly<Record<string, LiveObject>> = {
  bots: 'bot',
  schedules: 'bot',
  versions: 'bot',
  'post-call-hooks': 'bot',
  tools: 'tool',
  knowledge: 'knowledge',
  machines: 'machine',
  widgets: 'widget',
  numbers: 'number',
  evaluations: 'evaluation',
  scenarios: 'evaluation',
  conversations: 'conversation',
  'end-users': 'conversation',
  members: 'member',
  invitations: 'member',
  workspace: 'workspace',
};

/** What a console receives. */
export type LiveMessage =
  /** Changes are sent from now on: what was read before is read again. A console of another release offers to load the new one. Nodes of the previous release take neither `look` nor `active`. */
  | { type: 'hello'; release: string; takes_looks?: true }
  /** `data` is the object as lists show it; null once it is gone; left out where it must be read. Without an id, one is new. */
  | { type: 'changed'; object: LiveObject; id: string | null; data?: unknown }
  /** Changes were missed: everything that is shown is read again. */
  | { type: 'resync' }
  /** How much waits for a person: at the beginning, and whenever it changes. */
  | { type: 'waiting'; approvals: number; handoffs: number }
  /** Sent regularly, because browsers do not notice that a connection is dead, and proxies close silent ones. */
  | { type: 'beat' }
  /** An event of a followed conversation, as `chat/stream` sends it. Live events have no number. */
  | { type: 'event'; conversation_id: string; event: string; id: number | null; data: unknown }
  /** The other members who have the conversation open that this console looks at: whenever that changes. */
  | { type: 'lookers'; conversation_id: string; lookers: Looker[] }
  /** The conversation cannot be followed, or no longer. */
  | { type: 'unfollowed'; conversation_id: string; code: string; message: string };

/** A member who has a conversation open. */
export interface Looker {
  id: string;
  name: string;
  is_typing: boolean;
}

/** How often a console sends `look`. */
export const lookMilliseconds = 5_000;
/** How often those who write a message report it; after twice that they have stopped. */
export const typingMilliseconds = 3_000;

/** How often a console says at most that its member uses it. */
export const activeMilliseconds = 60_000;

/** How often a beat is sent. A console that has received nothing for twice as long connects again. */
export const beatMilliseconds = 15_000;

/** How many conversations one console can follow at the same time. */
export const maxFollowed = 8;

/** The socket is closed with this code when the person is signed out or no longer a member. */
export const signedOutCode = 4401;
