/** How a call ended. */
export interface SipCallEnd {
  cause:
    | 'remote_hangup'
    | 'local_hangup'
    | 'transferred'
    | 'busy'
    | 'no_answer'
    | 'declined'
    | 'time_limit'
    | 'failed';
  /** For the operator; contains no secrets. */
  detail?: string;
}

/** How a call ended that was not answered. `isPlaced`: the network has done its part. */
export interface DialOutcome {
  isPlaced: boolean;
  end: SipCallEnd;
}

/** Why a call was not answered: we gave up, the trunk refused it, or it did not respond. */
export type DialFailure =
  | {
      reason:
        | 'cancelled'
        | 'rang_too_long'
        | 'no_common_audio'
        | 'no_response'
        | 'trunk_not_found'
        | 'no_route';
    }
  | { reason: 'refused'; status: number; phrase: string };

export function dialOutcome(failure: DialFailure): DialOutcome {
  switch (failure.reason) {
    case 'cancelled':
      return { isPlaced: true, end: { cause: 'local_hangup' } };
    case 'rang_too_long':
      return { isPlaced: true, end: { cause: 'no_answer' } };
    case 'no_common_audio':
      return failed('The trunk and the service have no audio encoding in common.');
    case 'no_response':
      return failed('The trunk does not respond.');
    case 'trunk_not_found':
      return failed('The address of the trunk could not be found.');
    case 'no_route':
      return failed('There is no network connection to the trunk.');
    case 'refused':
      return refused(failure.status, failure.phrase);
  }
}

function refused(status: number, phrase: string): DialOutcome {
  const cause = causes[status];
  const said = `${status} ${phrase.replaceAll(/[^ -~]/g, '').slice(0, 80)}`.trim();
  if (cause) return { isPlaced: true, end: { cause, detail: said } };
  if (status === 401 || status === 403 || status === 407) {
    return failed(`The trunk does not allow the call: ${said}.`);
  }
  return failed(`The trunk refused the call: ${said}.`);
}

function failed(detail: string): DialOutcome {
  return { isPlaced: false, end: { cause: 'failed', detail } };
}

const causes: Readonly<Record<number, SipCallEnd['cause'] | undefined>> = {
  408: 'no_answer',
  480: 'no_answer',
  486: 'busy',
  487: 'no_answer',
  600: 'busy',
  603: 'declined',
};
