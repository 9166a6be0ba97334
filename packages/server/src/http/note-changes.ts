import { type LiveObject, objectsInPaths } from '@svc/contract/live';
import type { NoteChange } from '../events/workspace-changes.ts';
import type { HttpApp } from './http-app.ts';

interface Named {
  object: LiveObject;
  /** The parameter with its id; undefined for a new one. */
  parameter: string | undefined;
}

/** Tells consoles about everything that a successful request of any caller may have changed. */
export function noteChanges(http: HttpApp, note: NoteChange): void {
  const known = new Map<string, readonly Named[]>();
  http.addHook('onResponse', (request, reply, done) => {
    done();
    const { principal, method, routeOptions, params } = request;
    if (!principal || method === 'GET' || method === 'HEAD' || reply.statusCode >= 300) return;
    const { url = '' } = routeOptions;
    const named = known.get(url) ?? namedIn(url);
    known.set(url, named);
    const values = params as Record<string, string | undefined>;
    for (const { object, parameter } of named)
      note(principal.workspaceId, object, (parameter && values[parameter]?.toLowerCase()) ?? null);
  });
}

/** `/api/v1/bots/:id/tools` names a bot, by its id, and tools. */
function namedIn(path: string): readonly Named[] {
  const segments = path.split('/');
  return segments.flatMap((segment, index) => {
    const object = objectsInPaths[segment];
    const next = segments[index + 1];
    if (!object) return [];
    // `/schedules/:id` changes a bot, but the id is not the bot's.
    const isOwnId = next?.startsWith(':') && (segment === object || segment === `${object}s`);
    return [{ object, parameter: isOwnId ? next?.slice(1) : undefined }];
  });
}
