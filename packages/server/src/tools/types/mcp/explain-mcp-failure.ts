import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { NotMcp } from './read-answers.ts';
import { TaskLost } from './task-lost.ts';
import { ToolChanged } from './tool-changed.ts';

const maxMessageLength = 500;
const unusable = 'The MCP server could not be used.';
const timedOut: number = ErrorCode.RequestTimeout;
const closed: number = ErrorCode.ConnectionClosed;

/** What went wrong with a server, in one sentence. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return unusable;
  // Refusals and failures of the way out are written to be shown.
  if (error.name === 'EgressRefused' || error.name === 'EgressFailed') return error.message;
  if (error instanceof ToolChanged || error instanceof TaskLost) return error.message;
  if (error instanceof McpError) return explainMcpError(error);
  if (error instanceof StreamableHTTPError) return explainStatus(error.code ?? 0);
  // What the server sent is not what the protocol asks for; or the stream broke.
  if (error instanceof NotMcp || error.name === 'ZodError' || error instanceof SyntaxError) {
    return 'The MCP server answered with something that is not MCP.';
  }
  return error.cause === undefined ? unusable : explainFailure(error.cause);
}

function explainMcpError({ code, message }: McpError): string {
  if (code === timedOut) return 'The MCP server did not answer in time.';
  if (code === closed) return 'The MCP server closed the connection before it answered.';
  const reason = message.replace(/^MCP error -?\d+: /, '').slice(0, maxMessageLength);
  return `The MCP server refused: ${reason}`;
}

function explainStatus(status: number): string {
  if (status === 401 || status === 403) return 'The MCP server did not accept the authorization.';
  if (status === 404) return 'There is no MCP server at this address.';
  if (status < 100) return 'The MCP server answered with something that is not MCP.';
  return `The MCP server answered with status ${status}.`;
}
