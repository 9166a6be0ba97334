import type { GuardedLane } from '../../../egress/guarded-lane.ts';
import type { Clock } from '../../../lib/clock.ts';
import { functionName } from '../../function-name.ts';
import type { CallDescription, ConfiguredTool, ToolFunction, ToolType } from '../../tool-type.ts';
import { boundText } from '../shared/bound-text.ts';
import { createRedactor, type Redactor } from '../shared/redactor.ts';
import { secretsOf } from './authorize.ts';
import { buildRequest } from './build-request.ts';
import { type HttpRequestConfiguration, onlyReads, readConfiguration } from './http-configuration.ts';
import { httpRequestDescription } from './http-request-description.ts';
import { createOAuthTokens } from './oauth-tokens.ts';
import { prepareArguments } from './prepare-arguments.ts';
import type { Given } from './request-template.ts';
import { runRequest } from './run-request.ts';
import { UnfitParameter } from './unfit-parameter.ts';

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
          // A brace of the name is not one of a placeholder.
          approvalTitle: configuration.approval_title || tool.name.replaceAll(/[{}]/g, ''),
          ...(onlyReads(configuration) && { readOnly: true as const }),
          describeCall: (given, { signal }) => describeCall(tool, configuration, given, { redactor, signal }),
          run: (given, { callId, signal }) =>
            runRequest({ tool, configuration, given, callId, lane, tokens, signal }),
        },
      ];
    },
  };
}

const maxBytes = 2_000;

/** Shows a person what will be sent: method, address and body. */
async function describeCall(
  { workspaceId }: Pick<ConfiguredTool, 'workspaceId'>,
  configuration: HttpRequestConfiguration,
  given: Given,
  { redactor, signal }: { redactor: Redactor; signal: AbortSignal },
): Promise<CallDescription> {
  try {
    const complete = await prepareArguments(configuration.parameters, given, workspaceId, signal);
    const { method, url, body } = buildRequest(configuration, complete);
    const summary = [`${method} ${url.href}`, body ?? ''].filter(Boolean).join('\n');
    const { text, cut } = boundText(redactor.text(summary), maxBytes);
    return { context: { kind: 'call', summary: cut ? `${text}…` : text } };
  } catch (error) {
    if (!(error instanceof UnfitParameter)) throw error;
    return { fault: redactor.text(error.message) };
  }
}
