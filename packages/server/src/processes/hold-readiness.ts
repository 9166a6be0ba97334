import type { RequestListener } from 'node:http';
import { answerWhileStarting, type FrontDoor } from '../http/front-door.ts';

export interface HeldDoor {
  door: FrontDoor;
  /** From now on the service answers /readyz itself. */
  release(): void;
}

/**
 * Keeps /readyz at 503 until it is released. Requests go to any process of the service, so none may report that it is ready
 * before all of them are.
 */
export function holdReadiness(door: FrontDoor): HeldDoor {
  let isReleased = false;
  let service: RequestListener | undefined;
  return {
    door: {
      ...door,
      open(listener) {
        service = listener;
        if (isReleased) return door.open(listener);
        door.open((request, response) => {
          if (request.url?.split('?')[0] === '/readyz') answerWhileStarting(request, response);
          else listener(request, response);
        });
      },
    },
    release() {
      isReleased = true;
      if (service) door.open(service);
    },
  };
}
