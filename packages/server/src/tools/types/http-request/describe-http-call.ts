import type { ApprovalContext, ConfiguredTool } from '../../tool-type.ts';
import { boundText } from '../shared/bound-text.ts';
import type { Redactor } from '../shared/redactor.ts';
import { buildRequest } from './build-request.ts';
import type { HttpRequestConfiguration } from './http-configuration.ts';
import { prepareArguments } from './prepare-arguments.ts';
import type { Given } from './request-template.ts';
import { UnfitParameter } from './unfit-parameter.ts';

const maxBytes = 2_000;

/** Shows a person what will be sent: method, address and body. */
export async function describeCall(
  { workspaceId }: Pick<ConfiguredTool, 'workspaceId'>,
  configuration: HttpRequestConfiguration,
  given: Given,
  { redactor, signal }: { redactor: Redactor; signal: AbortSignal },
): Promise<ApprovalContext> {
  try {
    const complete = await prepareArguments(configuration.parameters, given, workspaceId, signal);
    const { method, url, body } = buildRequest(configuration, complete);
    const summary = [`${method} ${url.href}`, body ?? ''].filter(Boolean).join('\n');
    const { text, cut } = boundText(redactor.text(summary), maxBytes);
    return { kind: 'call', summary: cut ? `${text}…` : text };
  } catch (error) {
    if (!(error instanceof UnfitParameter)) throw error;
    const { method, url } = configuration;
    return { kind: 'call', summary: redactor.text(`${method} ${url}\nIt will fail: ${error.message}`) };
  }
}
