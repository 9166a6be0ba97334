import { createToolRegistry } from '../../src/tools/tool-registry.ts';
import type {
  Configuration,
  ToolFunction,
  ToolResult,
  ToolRun,
  ToolType,
} from '../../src/tools/tool-type.ts';

const testRun: ToolRun = {
  workspaceId: 'workspace',
  botId: undefined,
  conversationId: undefined,
  signal: new AbortController().signal,
  onProgress: () => undefined,
};

/** The function of a tool, whose configuration is checked as in the service. */
export async function functionOf(
  type: ToolType,
  configuration: Configuration,
  { name = 'my_tool', id = 'tool-1' } = {},
): Promise<ToolFunction> {
  createToolRegistry([type]).check(type, configuration);
  const tool = { id, workspaceId: 'workspace', name, description: '', configuration };
  const [only] = await type.functions(tool, testRun.signal);
  if (!only) throw new Error('The tool has no function.');
  return only;
}

export async function callTool(
  type: ToolType,
  configuration: Configuration,
  given: Record<string, unknown> = {},
  run: Partial<ToolRun> = {},
): Promise<ToolResult> {
  return (await functionOf(type, configuration)).run(given, { ...testRun, ...run });
}
