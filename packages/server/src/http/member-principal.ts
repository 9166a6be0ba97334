import type { IncomingHttpHeaders } from 'node:http';
import type { Role } from '@svc/contract/roles';
import type { Principal } from '../keys/keys.service.ts';

/** A person who is signed in to the console. */
export interface Person {
  userId: string;
  sessionId: string;
  name: string;
  email: string;
  /** To send with the answer, when the session was renewed. */
  cookies: string[];
}

/** A person as the caller of an operation of a workspace. */
export interface MemberPrincipal extends Principal {
  member: { id: string; name: string; email: string; role: Role; sessionId: string };
}

/** A request of a person who wants a session. */
export interface Visit {
  headers: IncomingHttpHeaders;
  /** Where it comes from. */
  address: string;
}
