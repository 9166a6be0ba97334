import type { GuardedLane } from '../../../egress/guarded-lane.ts';
import type { Clock } from '../../../lib/clock.ts';
import { functionName } from '../../function-name.ts';
import type { ToolFunction, ToolType } from '../../tool-type.ts';
import { createRedactor } from '../shared/redactor.ts';
import { secretsOf } from './authorize.ts';
import { describeCall } from './describe-http-call.ts';
import { onlyReads, readConfiguration } from './http-configuration.ts';
import { httpRequestDescription } from './http-request-description.ts';
import { createOAuthTokens } from './oauth-tokens.ts';
import { runRequest } from './run-request.ts';

/** A tool that calls an HTTP API. */
export function createHttpRequestType({ lane, clock }: { lane: GuardedLane; clock: Clock }): ToolType {
  const tokens = createOAuthTokens({ lane, clock });
  return {
    ...httpRequestDescription,
    async functions(tool): Promise<ToolFunction[]> {
      const configuration = readConfiguration(tool.configuration);
      const redactor = createRedactor(secretsOf(configuration));
      return [
        {
          name: functionName(tool.name),
          key: 'request',
          description:
            tool.description || `Sends ${configuration.method} to ${new URL(configuration.url).host}.`,
          parameters: configuration.parameters,
          approval: configuration.approval,
          ...(onlyReads(configuration) && { readOnly: true as const }),
          describeCall: async (given, { signal }) => ({
            context: await describeCall(tool, configuration, given, { redactor, signal }),
          }),
          run: (given, { callId, signal }) =>
            runRequest({ tool, configuration, given, callId, lane, tokens, signal }),
        },
      ];
    },
  };
}
